package dev.slipway.messaging;

import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DeferredWriteTest {
    private static final String A = "INSERT INTO a (x, y, z) VALUES ($1, $2, $2)";
    private static final String B = "INSERT INTO b SELECT * FROM unnest($1::text[])";
    private static final String C = "INSERT INTO c (x) VALUES ($1::text::jsonb)";

    @Test
    void coalesceInserts_keepsOtherStatements() {
        var update = new DeferredWrite("UPDATE a SET x = $1", Tuple.of(1), false);
        var delete = new DeferredWrite("DELETE FROM a", Tuple.tuple(), false);

        assertThat(DeferredWrite.coalesceInserts(List.of(update, delete))).containsExactly(update, delete);
    }

    @Test
    void coalesceInserts_keepsSingleInsert() {
        var insert = insert(A, 1, 2);

        assertThat(DeferredWrite.coalesceInserts(List.of(insert))).containsExactly(insert);
        assertThat(DeferredWrite.coalesceInserts(List.of())).isEmpty();
    }

    @Test
    void coalesceInserts_mergesInserts_andTheirParameters() {
        var one = DeferredWrite.coalesceInserts(List.of(insert(A, 1, 2), insert(B, "b"), insert(C, "{}")));

        assertThat(one).hasSize(1);
        assertThat(one.get(0).sql()).isEqualTo("""
                        WITH w0 AS (INSERT INTO a (x, y, z) VALUES ($1, $2, $2)), w1 AS (INSERT INTO b SELECT * FROM unnest($3::text[]))
                        INSERT INTO c (x) VALUES ($4::text::jsonb)""");
        assertThat(values(one.get(0))).containsExactly(1, 2, "b", "{}");
    }

    @Test
    void coalesceInserts_keepsOrder_whenAnotherWriteIsBetween() {
        var update = new DeferredWrite("UPDATE a SET x = $1", Tuple.of(7), false);

        var merged = DeferredWrite.coalesceInserts(List.of(insert(A, 1, 2), update, insert(B, "b"), insert(C, "{}")));

        assertThat(merged).hasSize(3);
        assertThat(merged.get(0).sql()).isEqualTo(A);
        assertThat(merged.get(1)).isEqualTo(update);
        assertThat(values(merged.get(2))).containsExactly("b", "{}");
    }

    @Test
    void coalesceInserts_startsNewStatement_whenInsertIsRepeated() {
        var merged = DeferredWrite.coalesceInserts(
                List.of(insert(A, 1, 2), insert(B, "b"), insert(A, 3, 4), insert(B, "d"), insert(A, 5, 6)));

        assertThat(merged)
                .extracting(DeferredWriteTest::values)
                .containsExactly(List.of(1, 2, "b"), List.of(3, 4, "d"), List.of(5, 6));
        assertThat(merged.get(1).sql()).isEqualTo(merged.get(0).sql());
    }

    private static DeferredWrite insert(String sql, Object... parameters) {
        return new DeferredWrite(sql, Tuple.from(parameters), true);
    }

    private static List<Object> values(DeferredWrite deferredWrite) {
        var values = new ArrayList<>();
        for (var i = 0; i < deferredWrite.parameters().size(); i++) {
            values.add(deferredWrite.parameters().getValue(i));
        }
        return values;
    }
}
