package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.correlation.CorrelationEntry.Kind;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CorrelationEntryTest {
    @Test
    void of_usesActionAsTitle_ofAuditRecord() {
        var entry = entry("audit.recorded", Json.object().put("action", "apps.instance.create"));

        assertThat(entry.kind()).isEqualTo(Kind.AUDIT);
        assertThat(entry.title()).isEqualTo("apps.instance.create");
        assertThat(entry.orgId()).isNull();
    }

    @Test
    void of_usesEventTypeAsTitle_ofOtherEvents() {
        var entry = entry("apps.version.published", Json.object());

        assertThat(entry.kind()).isEqualTo(Kind.EVENT);
        assertThat(entry.title()).isEqualTo("apps.version.published");
    }

    @Test
    void of_throws_whenAnIdIsMalformed() {
        assertThatThrownBy(() -> entry("apps.version.published", Json.object().put("org_id", "x")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void of_readsTraceId() {
        var headers = Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

        assertThat(CorrelationEntry.of(headers, envelope("x", Json.object())).traceId())
                .isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-4BF9-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01"
            })
    void of_hasNoTraceId_whenTraceparentIsMalformed(String header) {
        assertThat(CorrelationEntry.of(Map.of("traceparent", header), envelope("x", Json.object()))
                        .traceId())
                .isNull();
    }

    @Test
    void detail_containsIdAndPayload_ofEvent() {
        var entry = entry("apps.version.published", Json.object().put("app_slug", "slurm"));

        assertThat(entry.detail().path("event_id").asText())
                .isEqualTo(entry.eventId().toString());
        assertThat(entry.detail().path("payload")).isEqualTo(entry.payload());
    }

    private static CorrelationEntry entry(String type, ObjectNode payload) {
        return CorrelationEntry.of(Map.of(), envelope(type, payload));
    }

    private static Envelope envelope(String type, ObjectNode payload) {
        return new Envelope(Ids.next(), type, Instant.EPOCH, 1, "c-1", payload);
    }
}
