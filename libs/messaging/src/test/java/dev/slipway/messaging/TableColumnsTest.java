package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TableColumnsTest {
    private static final TableColumns COLUMNS = TableColumns.of("things", "id", "name");

    @Test
    void statements_listTheColumnsInOneOrder() {
        assertThat(COLUMNS.select()).isEqualTo("SELECT id, name FROM things ");
        assertThat(COLUMNS.insert()).isEqualTo("INSERT INTO things (id, name) VALUES ($1, $2) ");
    }

    @Test
    void statements_convertJsonColumns() {
        var columns = TableColumns.of("things", "id", "body").withJson("body");
        assertThat(columns.select()).isEqualTo("SELECT id, body::text AS body FROM things ");
        assertThat(columns.listOf("t")).isEqualTo("t.id, t.body::text AS body");
        assertThat(columns.listOf("t", "thing_")).isEqualTo("t.id AS thing_id, t.body::text AS thing_body");
        assertThat(columns.insert()).isEqualTo("INSERT INTO things (id, body) VALUES ($1, $2::text::jsonb) ");
        assertThat(columns.update("id")).isEqualTo("UPDATE things SET body = $2::text::jsonb WHERE id = $1 ");
    }

    @Test
    void update_takesTheParametersOfTheInsert() {
        var columns = TableColumns.of("things", "id", "name", "org_id", "size");

        assertThat(columns.update("id", "org_id"))
                .isEqualTo("UPDATE things SET name = $2, size = $4 WHERE id = $1 AND org_id = $3 ");
    }

    @Test
    void update_takesKeysAndThenSomeColumns() {
        var columns = TableColumns.of("things", "id", "name", "org_id", "body", "size")
                .withJson("body");

        assertThat(columns.update(List.of("id", "org_id"), "size", "body"))
                .isEqualTo("UPDATE things SET size = $3, body = $4::text::jsonb WHERE id = $1 AND org_id = $2 ");
    }

    @Test
    void update_rejectsColumnOfOtherTable() {
        assertThatThrownBy(() -> COLUMNS.update(List.of("id"), "size"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("things");
    }

    @Test
    void upsert_updatesAllButTheKeys() {
        var columns = TableColumns.of("things", "id", "kind", "body").withJson("body");

        assertThat(columns.upsert("id"))
                .isEqualTo("INSERT INTO things (id, kind, body) VALUES ($1, $2, $3::text::jsonb) "
                        + "ON CONFLICT (id) DO UPDATE SET kind = $2, body = $3::text::jsonb ");
    }
}
