package dev.slipway.audit.timeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.timeline.Fact.Kind;
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

class FactTest {
    @Test
    void of_namesAnAuditRecordAfterItsAction() {
        var fact = fact("audit.recorded", Json.object().put("action", "apps.instance.create"));

        assertThat(fact.kind()).isEqualTo(Kind.AUDIT);
        assertThat(fact.title()).isEqualTo("apps.instance.create");
        assertThat(fact.orgId()).isNull();
    }

    @Test
    void of_takesEverythingElseForAnEvent() {
        var fact = fact("apps.version.published", Json.object());

        assertThat(fact.kind()).isEqualTo(Kind.EVENT);
        assertThat(fact.title()).isEqualTo("apps.version.published");
    }

    @Test
    void of_throws_whenAnIdIsNone() {
        assertThatThrownBy(() -> fact("apps.version.published", Json.object().put("org_id", "x")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void of_readsTheTraceId() {
        var headers = Map.of("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

        assertThat(Fact.of(headers, envelope("x", Json.object())).traceId())
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
    void of_leavesTheTraceIdOut_whenTheHeaderIsNone(String header) {
        assertThat(Fact.of(Map.of("traceparent", header), envelope("x", Json.object()))
                        .traceId())
                .isNull();
    }

    @Test
    void detail_showsOfAnEventItsIdAndPayload() {
        var fact = fact("apps.version.published", Json.object().put("app_slug", "slurm"));

        assertThat(fact.detail().path("event_id").asText())
                .isEqualTo(fact.eventId().toString());
        assertThat(fact.detail().path("payload")).isEqualTo(fact.payload());
    }

    private static Fact fact(String type, ObjectNode payload) {
        return Fact.of(Map.of(), envelope(type, payload));
    }

    private static Envelope envelope(String type, ObjectNode payload) {
        return new Envelope(Ids.next(), type, Instant.EPOCH, 1, "c-1", payload);
    }
}
