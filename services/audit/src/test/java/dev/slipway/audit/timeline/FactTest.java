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
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class FactTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final UUID CALLER = Ids.next();

    @Test
    void of_namesACallAfterItsOperation() {
        var fact = fact("gateway.call", call("getApp"));

        assertThat(fact.kind()).isEqualTo(Kind.CALL);
        assertThat(fact.title()).isEqualTo("getApp");
        assertThat(fact.orgId()).isEqualTo(ORG);
        assertThat(fact.projectId()).isEqualTo(PROJECT);
        assertThat(fact.principalId()).isEqualTo(CALLER);
    }

    @Test
    void of_namesACallAfterItsPath_whenNoOperationMatched() {
        assertThat(fact("gateway.call", call(null)).title()).isEqualTo("GET /api/v1/apps/x");
    }

    @Test
    void of_namesAnAuditRecordAfterItsAction() {
        var fact = fact("audit.recorded", Json.object().put("action", "apps.instance.create"));

        assertThat(fact.kind()).isEqualTo(Kind.AUDIT);
        assertThat(fact.title()).isEqualTo("apps.instance.create");
        assertThat(fact.orgId()).isNull();
    }

    @Test
    void of_takesEverythingElseForAnEvent() {
        var fact = fact("apps.version.published", Json.object().put("principal_id", CALLER.toString()));

        assertThat(fact.kind()).isEqualTo(Kind.EVENT);
        assertThat(fact.title()).isEqualTo("apps.version.published");
        assertThat(fact.principalId()).as("only calls belong to their caller").isNull();
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
    void detail_showsOfACallWhatTheContractNames() {
        assertThat(fact("gateway.call", call("getApp")).detail().fieldNames())
                .toIterable()
                .containsExactly("method", "path", "status", "code", "duration_us", "principal_id", "actor_type");
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

    private static ObjectNode call(String operationId) {
        return Json.object()
                .put("method", "GET")
                .put("operation_id", operationId)
                .put("path", "/api/v1/apps/x")
                .put("status", 200)
                .putNull("code")
                .put("principal_id", CALLER.toString())
                .put("actor_type", "user")
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("duration_us", 12);
    }
}
