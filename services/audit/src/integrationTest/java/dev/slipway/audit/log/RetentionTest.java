package dev.slipway.audit.log;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import static dev.slipway.audit.log.AuditLogFixture.ORG;
import static dev.slipway.audit.log.AuditLogFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

class RetentionTest {
    private final AuditLogFixture fixture = new AuditLogFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void content_isDeletedAtTheEndOfItsClass_andTheLogStaysValid() {
        fixture.append(List.of(event("operational"), event("security"), event("operational"), event("standard")));
        fixture.awaitCheckpoints();
        assertThat(await(fixture.retention.sweep())).isZero();

        fixture.advance(Duration.ofDays(91));
        assertThat(await(fixture.retention.sweep())).isEqualTo(2);

        assertThat(fixture.database.query(
                        "SELECT string_agg(sequence::text, ',' ORDER BY sequence) FROM audit.log_entries"))
                .isEqualTo("1,3");
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_personal_values"))
                .isEqualTo("2");
        assertThat(fixture.database.query("SELECT count(*) FROM audit.log_leaves"))
                .isEqualTo("4");
        assertThat(fixture.get(fixture.api::list, Map.of()).path("items")).hasSize(2);
        var report = AuditLogTest.verify(fixture.export(500), List.of(), null);
        assertThat(report.fault()).isNull();
        assertThat(report.entries()).isEqualTo(4);
        assertThat(report.expired()).isEqualTo(2);
    }

    /** The archive by correlation id has the personal values of an audit record too. */
    @Test
    void personalValues_areDeletedFromTheArchiveToo() {
        var expiring = event("operational");
        var other = event("security");
        fixture.append(List.of(expiring, other));
        for (var event : List.of(expiring, other)) {
            fixture.database.execute(
                    "INSERT INTO audit.audit_records (event_id, title, occurred_at, correlation_id, payload) VALUES ('"
                            + event.envelope().eventId() + "', 'audit.recorded', now(), 'correlation', '"
                            + Json.text(event.envelope().payload()) + "')");
        }
        fixture.advance(Duration.ofDays(91));

        assertThat(await(fixture.retention.sweep())).isEqualTo(1);

        assertThat(archived(expiring)).doesNotContain("Ada Lovelace", "ada@example.test");
        assertThat(archived(other)).contains("Ada Lovelace", "ada@example.test");
    }

    private String archived(ReceivedEvent event) {
        return fixture.database.query("SELECT payload FROM audit.audit_records WHERE event_id = '"
                + event.envelope().eventId() + "'");
    }

    @Test
    void content_remains_whileTheLogIsHeld() {
        fixture.append(List.of(event("operational")));
        fixture.advance(Duration.ofDays(91));
        var body = Json.object().put("reason", "a dispute");
        assertThat(await(fixture.holds.place(AuditLogFixture.request(Map.of(), body)))
                        .problem())
                .isNull();
        assertThat(fixture.get(fixture.holds::get, Map.of()).path("reason").asText())
                .isEqualTo("a dispute");
        assertThat(await(fixture.retention.sweep())).isZero();

        assertThat(fixture.get(fixture.holds::release, Map.of()).path("held").asBoolean())
                .isFalse();
        assertThat(await(fixture.retention.sweep())).isEqualTo(1);
    }

    @Test
    void retention_followsTheRegistry() {
        fixture.append(List.of(event("operational")));
        fixture.advance(Duration.ofDays(91));
        fixture.applyRegistry(retentionClass(2, 365));
        fixture.applyRegistry(retentionClass(1, 1));
        assertThat(await(fixture.retention.sweep())).isZero();
        fixture.applyRegistry(retentionClass(3, 30));
        assertThat(await(fixture.retention.sweep())).isEqualTo(1);
    }

    private static ReceivedEvent event(String retentionClass) {
        var event = AuditLogFixture.event(ORG, retentionClass);
        return AuditLogFixture.event(event.envelope().payload().put("retention_class", retentionClass));
    }

    private static Envelope retentionClass(int version, int days) {
        var payload = Json.object()
                .put("kind", "retention_class")
                .put("entry_id", "operational")
                .put("entry_version", version);
        payload.putObject("body").put("retention_days", days);
        return new Envelope(Ids.next(), "catalog.registry.snapshot", Instant.now(), 1, "correlation", payload);
    }
}
