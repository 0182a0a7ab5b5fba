package dev.slipway.messaging;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TableColumnsTest {
    private static final TableColumns COLUMNS = TableColumns.of("things", "id", "name");

    @Test
    void statements_listTheColumnsInOneOrder() {
        assertThat(COLUMNS.select()).isEqualTo("SELECT id, name FROM things ");
        assertThat(COLUMNS.insert()).isEqualTo("INSERT INTO things (id, name) VALUES ($1, $2) ");
    }
}
