package dev.slipway.standalone;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.testkit.ApiClient.ApiResponse;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/** Calls that report usage, as a product does: by API and by topic. */
record UsageCalls(PlatformUnderTest platform) {
    /** Creates a credential that may report and read the usage of a project. */
    ApiResponse createCredential(UUID projectId) {
        var account = CredentialCalls.createAccount(platform, projectId, "usage.report", "usage.read");
        var created = CredentialCalls.createCredential(platform, projectId, account);
        platform.awaitReplication();
        return created;
    }

    String token(ApiResponse credential, @Nullable String audience) {
        var body = CredentialCalls.client(credential.text("credential_id"), credential.text("secret"));
        if (audience != null) {
            body.put("audience", audience);
        }
        return platform.anonymous()
                .call("exchangeServiceAccountToken")
                .body(body)
                .send()
                .expect(200)
                .text("access_token");
    }

    /** Returns tokens that were used in the minute before this hour. */
    static ObjectNode fact(String id, String quantity) {
        var end = Instant.now().truncatedTo(ChronoUnit.HOURS);
        return Json.object()
                .put("id", id)
                .put("unit", "token")
                .put("quantity", quantity)
                .put("window_start", end.minusSeconds(60).toString())
                .put("window_end", end.toString())
                .put("resource_type", "model")
                .put("resource_id", "llama");
    }

    /** Returns the body of a request, and the payload of a record. */
    static ObjectNode batch(String source, List<ObjectNode> facts) {
        var body = Json.object().put("source", source);
        facts.forEach(body.putArray("facts")::add);
        return body;
    }

    ApiResponse report(String token, @Nullable UUID projectId, ObjectNode fact) {
        var call = platform.anonymous().as(token).call("reportUsageFacts").body(batch("api", List.of(fact)));
        return (projectId == null ? call : call.header("X-Project-ID", projectId.toString())).send();
    }

    /** Reports one fact of a project, by a new credential. */
    void reportOne(UUID projectId) {
        var id = UUID.randomUUID().toString();
        report(token(createCredential(projectId), null), null, fact(id, "1")).expect(200);
    }

    /** Sends a record to the topic; without a token if it is null. */
    void send(String source, List<ObjectNode> facts, @Nullable String token) {
        platform.send("usage.facts", source, event(source, facts), token);
    }

    /** Returns the event that reports facts by topic. */
    static Envelope event(String source, List<ObjectNode> facts) {
        return new Envelope(
                Ids.next(), "usage.facts.reported", Instant.now(), 1, "usage-" + source, batch(source, facts));
    }
}
