package dev.slipway.metering.usage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.AuthzModel;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.authz.testing.TestKey;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.RoleRegistry;
import dev.slipway.messaging.Failures.NotReadyException;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.ReceivedRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.SECOND_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Records of reporters whose permissions arrive before or after their records. */
class UsageFactConsumerTest {
    private final Instant sent = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private static TestKey key;

    private final UsageFixture fixture = new UsageFixture();
    private final AuthzModel model = new AuthzModel();
    private final UsageFactConsumer consumer = new UsageFactConsumer(
            fixture.reports, model, new TokenVerifier(model).forReports(), Clock.systemUTC(), Duration.ofHours(1));
    private final UUID account = Ids.next();
    private long revision;

    @BeforeAll
    static void generateKey() {
        key = TestKey.generate("k1");
    }

    @BeforeEach
    void trustKey() {
        publish("authz.action", Json.object().put("action", "usage.report").put("lifecycle", "active"));
        for (var role : RoleRegistry.load().roles()) {
            var payload = Json.object()
                    .put("role", role.name())
                    .put("level", role.level())
                    .put("org_id", (String) null)
                    .put("removed", false);
            var actions = payload.putArray("actions");
            role.actions().forEach(actions::add);
            publish("authz.role", payload);
        }
        var signing = Json.object()
                .put("kid", "k1")
                .put("issuer", TokenVerifier.MACHINE_ISSUER)
                .put("expires_at", sent.plus(1, ChronoUnit.HOURS).toString());
        signing.set("jwk", key.publicJwk());
        publish("authz.signing_key", signing);
        for (var project : List.of(PROJECT, SECOND_PROJECT)) {
            publish(
                    "authz.project",
                    Json.object().put("project_id", project.toString()).put("org_id", ORG.toString()));
        }
        confirm(sent.minusSeconds(10));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void record_waitsAndIsCounted_whenItsAccountIsNotReplicatedYet() {
        var record = record(account, fact("a"));
        assertThatThrownBy(() -> consumer.prepare(List.of(record))).isInstanceOf(NotReadyException.class);

        addAccount(account, PROJECT, "usage.report");
        apply(record);

        assertThat(fixture.total()).isEqualTo("10");
    }

    @Test
    void record_waits_whenItsGrantIsNotReplicatedYet() {
        addAccount(account, PROJECT);
        var record = record(account, fact("a"));
        assertThatThrownBy(() -> consumer.prepare(List.of(record))).isInstanceOf(NotReadyException.class);

        addAccount(account, PROJECT, "usage.report");
        apply(record);

        assertThat(fixture.total()).isEqualTo("10");
    }

    @Test
    void record_isSentToTheDeadLetterTopic_whenItsAccountIsUnknownForSure() {
        confirm(sent.plusSeconds(1));

        assertThatThrownBy(() -> consumer.prepare(List.of(record(account, fact("a")))))
                .isInstanceOf(ProblemException.class);
    }

    @Test
    void record_isRefusedVisibly_whenItsAccountMayNotReportOrItsPayloadIsInvalid() {
        var other = Ids.next();
        addAccount(account, PROJECT);
        addAccount(other, SECOND_PROJECT, "usage.report");
        confirm(sent.plusSeconds(1));
        var forbidden = record(account, fact("a"));
        var invalid = event(other, Json.object().put("source", "factory"));

        apply(forbidden, invalid, record(other, fact("b")));

        assertThat(refusal(PROJECT))
                .isEqualTo(PROJECT + "/factory " + forbidden.envelope().eventId() + " authorization");
        assertThat(refusal(SECOND_PROJECT))
                .isEqualTo(SECOND_PROJECT + "/factory " + invalid.envelope().eventId() + " facts");
        assertThat(fixture.total()).isEqualTo("10");
    }

    /** The audit entry of a report must not have the correlation id of another organization or project. */
    @Test
    void auditEntry_hasTheCorrelationId_ofItsReporter() {
        var other = Ids.next();
        addAccount(account, PROJECT, "usage.report");
        addAccount(other, SECOND_PROJECT, "usage.report");

        apply(record(account, fact("a")), record(other, fact("b")));

        for (var reporter : List.of(account, other)) {
            assertThat(fixture.database.query("""
                    SELECT correlation_id FROM metering.outbox WHERE topic = 'audit.events' AND convert_from(value, 'UTF8') LIKE '%%%s%%'""".formatted(reporter))).isEqualTo("of-" + reporter);
        }
    }

    private String refusal(UUID projectId) {
        var found = fixture.get(fixture.queries::listRefusals, ORG, projectId, Map.of())
                .path("items");
        assertThat(found).hasSize(1);
        var only = found.path(0);
        return only.path("source").asText() + " " + only.path("fact_id").asText() + " "
                + only.path("field").asText();
    }

    private void apply(ReceivedEvent... records) {
        var work = consumer.prepare(List.of(records));
        await(fixture.outbox.transaction(context(), work));
    }

    private ReceivedEvent record(UUID reporter, ObjectNode fact) {
        var body = Json.object().put("source", "factory");
        body.putArray("facts").add(fact);
        return event(reporter, body);
    }

    private ReceivedEvent event(UUID reporter, ObjectNode payload) {
        var claims = TestKey.claims(
                        TokenVerifier.MACHINE_ISSUER,
                        reporter.toString(),
                        TokenVerifier.reportAudience(TokenVerifier.AUDIENCE),
                        sent)
                .put("scope", "usage.report");
        var envelope = new Envelope(Ids.next(), "usage.facts.reported", sent, 1, "of-" + reporter, payload);
        return new ReceivedEvent(
                new ReceivedRecord(
                        "usage.facts",
                        0,
                        0,
                        sent,
                        "factory",
                        envelope.toBytes(),
                        Map.of("authorization", "Bearer " + key.sign(claims))),
                envelope);
    }

    private void addAccount(UUID id, UUID projectId, String... actions) {
        var payload = Json.object()
                .put("principal_id", id.toString())
                .put("actor_type", "service_account")
                .put("display_name", "Reporter")
                .put("issuer", (String) null)
                .put("subject", (String) null)
                .put("org_id", ORG.toString())
                .put("project_id", projectId.toString())
                .put("responsible_user_id", id.toString())
                .put("active", true);
        var allowed = payload.putArray("allowed_actions");
        List.of(actions).forEach(allowed::add);
        publish("authz.principal", payload);
    }

    private void publish(String type, ObjectNode payload) {
        revision++;
        apply(type, payload.put("revision", revision), sent.minusSeconds(20));
        apply("authz.revision", Json.object().put("revision", revision), sent.minusSeconds(20));
    }

    private void confirm(Instant at) {
        apply("state.heartbeat", Json.object().put("revision", revision), at);
    }

    private void apply(String type, ObjectNode payload, Instant at) {
        var event = new Envelope(Ids.next(), type, at, 1, "c", payload);
        model.apply(new ReceivedRecord("authz.state", 0, 0, at, "key", event.toBytes(), Map.of()));
    }
}
