package dev.slipway.audit.timeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.timeline.Fact.Kind;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class TimelineApiTest {
    @Test
    void timeline_matchesTheContract_forEveryKind() {
        var facts = Arrays.stream(Kind.values()).map(kind -> fact(kind, "t")).toList();

        assertThat(problems(TimelineApi.timeline("c-1", facts))).isEmpty();
    }

    @Test
    void timeline_namesEachTraceOnce_inTheOrderOfTheEntries() {
        var facts = List.of(fact(Kind.CALL, "b"), fact(Kind.AUDIT, null), fact(Kind.EVENT, "a"), fact(Kind.EVENT, "b"));

        var body = TimelineApi.timeline("c-1", facts);

        assertThat(body.path("trace_ids").toString()).isEqualTo("[\"b\",\"a\"]");
        assertThat(body.path("truncated").asBoolean()).isFalse();
    }

    @Test
    void timeline_isCutAndSaysSo_whenThereIsMore() {
        var facts = Collections.nCopies(1_001, fact(Kind.CALL, "t"));

        var body = TimelineApi.timeline("c-1", facts);

        assertThat(body.path("items").size()).isEqualTo(1_000);
        assertThat(body.path("truncated").asBoolean()).isTrue();
    }

    private static Fact fact(Kind kind, String traceId) {
        return new Fact(kind, Ids.next(), "title", Instant.EPOCH, "c-1", traceId, Ids.next(), null, Json.object());
    }

    private static List<FieldProblem> problems(ObjectNode body) {
        var problems = new ArrayList<FieldProblem>();
        Contract.load().responseCheck("getCorrelation", 200).check(body, problems);
        return problems;
    }
}
