package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.correlation.CorrelationEntry.Kind;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.service.Page;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class CorrelationApiTest {
    private static final TriageLinks LINKS =
            new TriageLinks("https://grafana.test", "tempo", "loki", "{app=\"slipway\"}");

    @Test
    void timeline_matchesContract_forEveryKind() {
        var entries = Arrays.stream(Kind.values()).map(kind -> entry(kind, "t")).toList();

        assertThat(problems(Json.toObject(CorrelationApi.timeline("c-1", new Page<>(entries, null), LINKS))))
                .isEmpty();
    }

    @Test
    void timeline_listsTraceIdsOnce_inOrderOfEntries() {
        var entries =
                List.of(entry(Kind.CALL, "b"), entry(Kind.AUDIT, null), entry(Kind.EVENT, "a"), entry(Kind.EVENT, "b"));

        var body = Json.toObject(CorrelationApi.timeline("c-1", new Page<>(entries, null), LINKS));

        assertThat(body.path("trace_ids").toString()).isEqualTo("[\"b\",\"a\"]");
        assertThat(body.path("truncated").asBoolean()).isFalse();
    }

    @Test
    void timeline_isTruncated_whenThereIsANextPage() {
        var next = new Cursor(Instant.EPOCH, Ids.next());

        var body =
                Json.toObject(CorrelationApi.timeline("c-1", new Page<>(List.of(entry(Kind.CALL, "t")), next), LINKS));

        assertThat(body.path("truncated").asBoolean()).isTrue();
        assertThat(body.path("next_cursor").asText()).isEqualTo(next.encode());
    }

    private static CorrelationEntry entry(Kind kind, String traceId) {
        return new CorrelationEntry(
                kind, Ids.next(), "title", Instant.EPOCH, "c-1", traceId, Ids.next(), null, Json.object());
    }

    private static List<FieldProblem> problems(ObjectNode body) {
        var problems = new ArrayList<FieldProblem>();
        Contract.load().responseValidator("getCorrelation", 200).validate(body, problems);
        return problems;
    }
}
