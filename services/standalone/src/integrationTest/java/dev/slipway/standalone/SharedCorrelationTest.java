package dev.slipway.standalone;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.ApiClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import static dev.slipway.testkit.Eventually.eventually;
import static dev.slipway.testkit.Eventually.eventuallyGet;
import static org.assertj.core.api.Assertions.assertThat;

/** Uses one correlation id as two tenants: rejected requests of the other tenant neither disclose nor hide anything. */
class SharedCorrelationTest {
    private static final String OTHER_TENANT = "other_tenant_owner";
    private static final int REFUSALS = 60;

    private static PlatformUnderTest platform;

    @BeforeAll
    static void start() {
        platform = new PlatformUnderTest();
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void ownRefusedCall_doesNotTellWhetherTheProjectExists() {
        var id = "probe-" + UUID.randomUUID();
        var unknownId = "probe-" + UUID.randomUUID();
        refusedCall(DemoData.PROJECT, id);
        refusedCall(Ids.next(), unknownId);

        var known = eventuallyGet(() -> single(read(OTHER_TENANT, id).send().expect(200)));
        var unknown =
                eventuallyGet(() -> single(read(OTHER_TENANT, unknownId).send().expect(200)));

        for (var call : List.of(known, unknown)) {
            assertThat(call.at("/detail/status").asInt()).isEqualTo(404);
            assertThat(call.path("org_id").isNull()).isTrue();
            assertThat(call.path("project_id").isNull()).isTrue();
        }
        assertThat(read("tenant_owner", id).send().expect(404).text("code")).isEqualTo("correlation_not_found");
    }

    @Test
    void trail_isNotBuried_byRefusalsOfOtherTenants() {
        var id = "buried-" + UUID.randomUUID();
        for (var i = 0; i < REFUSALS; i++) {
            refusedCall(DemoData.PROJECT, id);
        }
        platform.launch("project_owner", "found")
                .header("X-Correlation-ID", id)
                .send()
                .expect(202);
        // Each refusal is a call and an audit record.
        var refusals = eventuallyGet(() -> {
            var found = readAll("tenant_owner", id, "refusals");
            assertThat(found).hasSize(2 * REFUSALS);
            return found;
        });

        eventually(() -> {
            var trail = read("tenant_owner", id).send().expect(200);
            assertThat(trail.body().findValuesAsText("kind")).contains("call", "audit", "event");
            assertThat(trail.body().path("next_cursor").isNull()).isTrue();
            assertThat(trail.body().path("items"))
                    .noneMatch(item -> item.at("/detail/status").asInt() == 404)
                    .noneMatch(item -> item.at("/detail/result").asText().equals("denied"));
        });
        assertThat(refusals)
                .allSatisfy(item -> assertThat(item.path("org_id").asText()).isEqualTo(DemoData.ORG.toString()));
        assertThat(readAll(OTHER_TENANT, id, "refusals")).isEmpty();
    }

    @Test
    void trail_isReadInPages_withoutGapsAndDuplicates() {
        var id = "paged-" + UUID.randomUUID();
        IntStream.range(0, 5).forEach(i -> platform.as("project_viewer")
                .call("getMe")
                .header("X-Correlation-ID", id)
                .send()
                .expect(200));
        var all = eventuallyGet(() -> {
            var found = items(read("project_viewer", id).send().expect(200));
            assertThat(found).hasSize(5);
            return found;
        });

        var pages = new ArrayList<JsonNode>();
        var page = read("project_viewer", id).query("limit=2").send().expect(200);
        pages.addAll(items(page));
        while (!page.body().path("next_cursor").isNull()) {
            assertThat(page.body().path("truncated").asBoolean()).isTrue();
            page = read("project_viewer", id)
                    .query("limit=2&cursor=" + page.text("next_cursor"))
                    .send()
                    .expect(200);
            assertThat(items(page)).hasSizeLessThanOrEqualTo(2);
            pages.addAll(items(page));
        }

        assertThat(pages).isEqualTo(all);
    }

    private static void refusedCall(UUID projectId, String correlationId) {
        platform.as(OTHER_TENANT)
                .call("listAppInstances")
                .path("project_id", projectId)
                .header("X-Correlation-ID", correlationId)
                .send()
                .expect(404);
    }

    private static List<JsonNode> readAll(String reader, String correlationId, String view) {
        var all = new ArrayList<JsonNode>();
        var page = read(reader, correlationId).query("view=" + view).send().expect(200);
        all.addAll(items(page));
        while (!page.body().path("next_cursor").isNull()) {
            page = read(reader, correlationId)
                    .query("view=" + view + "&cursor=" + page.text("next_cursor"))
                    .send()
                    .expect(200);
            all.addAll(items(page));
        }
        return all;
    }

    private static ApiClient.Call read(String reader, String correlationId) {
        return platform.as(reader).call("getCorrelation").path("correlation_id", correlationId);
    }

    private static List<JsonNode> items(ApiClient.ApiResponse page) {
        return StreamSupport.stream(page.body().path("items").spliterator(), false)
                .toList();
    }

    private static JsonNode single(ApiClient.ApiResponse page) {
        assertThat(page.body().path("items")).hasSize(1);
        return page.body().path("items").get(0);
    }
}
