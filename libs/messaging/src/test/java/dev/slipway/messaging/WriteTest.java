package dev.slipway.messaging;

import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class WriteTest {
    private static final String A = "INSERT INTO a (x, y, z) VALUES ($1, $2, $2)";
    private static final String B = "INSERT INTO b SELECT * FROM unnest($1::text[])";
    private static final String C = "INSERT INTO c (x) VALUES ($1::text::jsonb)";

    @Test
    void together_leavesAlone_whatIsNoInsert() {
        var update = new Write("UPDATE a SET x = $1", Tuple.of(1), false);
        var delete = new Write("DELETE FROM a", Tuple.tuple(), false);

        assertThat(Write.together(List.of(update, delete))).containsExactly(update, delete);
    }

    @Test
    void together_leavesAlone_anInsertByItself() {
        var insert = insert(A, 1, 2);

        assertThat(Write.together(List.of(insert))).containsExactly(insert);
        assertThat(Write.together(List.of())).isEmpty();
    }

    @Test
    void together_makesOneOfInserts_withTheParametersOfAll() {
        var one = Write.together(List.of(insert(A, 1, 2), insert(B, "b"), insert(C, "{}")));

        assertThat(one).hasSize(1);
        assertThat(one.get(0).sql()).isEqualTo("""
                        WITH w0 AS (INSERT INTO a (x, y, z) VALUES ($1, $2, $2)), w1 AS (INSERT INTO b SELECT * FROM unnest($3::text[]))
                        INSERT INTO c (x) VALUES ($4::text::jsonb)""");
        assertThat(values(one.get(0))).containsExactly(1, 2, "b", "{}");
    }

    @Test
    void together_keepsTheOrder_whereAnotherWriteIsBetween() {
        var update = new Write("UPDATE a SET x = $1", Tuple.of(7), false);

        var fewer = Write.together(List.of(insert(A, 1, 2), update, insert(B, "b"), insert(C, "{}")));

        assertThat(fewer).hasSize(3);
        assertThat(fewer.get(0).sql()).isEqualTo(A);
        assertThat(fewer.get(1)).isEqualTo(update);
        assertThat(values(fewer.get(2))).containsExactly("b", "{}");
    }

    @Test
    void together_beginsAnew_whereAnInsertComesAgain() {
        var fewer = Write.together(
                List.of(insert(A, 1, 2), insert(B, "b"), insert(A, 3, 4), insert(B, "d"), insert(A, 5, 6)));

        assertThat(fewer)
                .extracting(WriteTest::values)
                .containsExactly(List.of(1, 2, "b"), List.of(3, 4, "d"), List.of(5, 6));
        assertThat(fewer.get(1).sql()).isEqualTo(fewer.get(0).sql());
    }

    private static Write insert(String sql, Object... parameters) {
        return new Write(sql, Tuple.from(parameters), true);
    }

    private static List<Object> values(Write write) {
        var values = new ArrayList<>();
        for (var i = 0; i < write.parameters().size(); i++) {
            values.add(write.parameters().getValue(i));
        }
        return values;
    }
}
