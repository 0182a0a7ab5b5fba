package dev.slipway.catalog.app;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SearchQueryTest {
    @Test
    void toTsQuery_removesOperators() {
        assertThat(SearchQuery.toTsQuery("Slurm & !(x | y):* 'z' <-> \\ -- ;")).isEqualTo("slurm:* & x:* & y:* & z:*");
        assertThat(SearchQuery.toTsQuery("GPU-Größe_2")).isEqualTo("gpu:* & größe:* & 2:*");
        assertThat(SearchQuery.toTsQuery("a b c d e f g h i j").split("&")).hasSize(8);
    }

    @Test
    void toTsQuery_isNull_whenNoWordIsLeft() {
        assertThat(SearchQuery.toTsQuery(" -*&|\u00a0 ")).isNull();
    }
}
