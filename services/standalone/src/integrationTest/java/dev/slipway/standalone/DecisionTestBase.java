package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.TokenSigner;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.testkit.ApiClient.ApiResponse;
import dev.slipway.testkit.ApiClient.Call;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.StreamSupport;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Starts the platform for the tests of one area, and calls that they share. */
@ResourceLock("DecisionTestBase") // its static fields: subclasses must not run in parallel
abstract class DecisionTestBase {
    static final String REASON = "The tenant asked for help, ticket 4711";

    static final String CREATE = "apps.instance.create";

    static final TokenSigner ISSUER = TokenSigner.withNewKey(DemoData.ISSUER);

    static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        var key = new IamSeed.IssuerKey(
                ISSUER.kid(), DemoData.ISSUER, ISSUER.publicJwk(), Instant.now().plusSeconds(3_600));
        platform = new PlatformUnderTest(Map.of(), List.of(key));
    }

    @AfterAll
    static void stop() {
        assertThat(platform.events().violations()).isEmpty();
        platform.close();
    }

    /** Asserts that the tenant's owner sees the call, the audit record and the event. */
    static void assertUse(ApiResponse apiResponse, String operation, String action) {
        var timeline = platform.as("tenant_owner")
                .call("getCorrelation")
                .path("correlation_id", apiResponse.header("X-Correlation-ID"))
                .send()
                .expect(200);
        var items = StreamSupport.stream(timeline.body().path("items").spliterator(), false)
                .toList();
        assertThat(items)
                .anySatisfy(item -> {
                    assertThat(item.path("title").asText()).isEqualTo("audit.break_glass.used");
                    assertThat(item.at("/detail/payload/reason").asText()).isEqualTo(REASON);
                    assertThat(item.at("/detail/payload/operation_id").asText()).isEqualTo(operation);
                    assertThat(item.path("project_id").asText()).isEqualTo(DemoData.PROJECT.toString());
                })
                .anySatisfy(item -> {
                    assertThat(item.path("kind").asText()).isEqualTo("audit");
                    assertThat(item.path("title").asText()).isEqualTo(action);
                    assertThat(item.at("/detail/reason").asText()).isEqualTo(REASON);
                })
                .anySatisfy(item -> assertThat(item.path("title").asText()).startsWith("admin"));
    }

    static Call explain(String operation, String user, ObjectNode question) {
        return platform.as(user).call(operation).path("org_id", DemoData.ORG).body(question);
    }

    /** Publishes a record as IAM would. */
    static void apply(long revision, String type, ObjectNode payload) {
        var event = new Envelope(Ids.next(), type, Instant.now(), 1, "c-1", payload.put("revision", revision));
        platform.platform()
                .serviceContext()
                .authz()
                .apply(new ReceivedRecord("authz.state", 0, 0, Instant.now(), "k", event.toBytes(), Map.of()));
    }

    static ApiResponse launch(String key) {
        return demoProjectCall("adminCreateAppInstance", "platform_superadmin")
                .header("X-Break-Glass-Reason", REASON)
                .header("Idempotency-Key", key)
                .body(PlatformUnderTest.launchBody("for the tenant"))
                .send();
    }

    static Call demoProjectCall(String operation, String user) {
        return platform.as(user).call(operation).path("project_id", DemoData.PROJECT);
    }

    static ApiResponse ask(String operation, String user, ObjectNode question) {
        return platform.as(user).call(operation).body(question).send();
    }

    static ObjectNode question(String action, UUID actor) {
        var question = Json.object();
        if (actor != null) {
            question.putObject("actor").put("id", actor.toString());
        }
        question.putObject("hierarchy").put("project_id", DemoData.PROJECT.toString());
        question.putObject("product").put("resource_type", "app_instance").put("action", action);
        return question.put("correlation_id", "mine");
    }

    static UUID id(String user) {
        return platform.platform()
                .serviceContext()
                .tokens()
                .verify(requireNonNull(platform.token(user)), Instant.now())
                .id();
    }
}
