package dev.slipway.catalog.app;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SearchWordsTest {
    @Test
    void query_hasNoOperators_whateverWasTyped() {
        assertThat(SearchWords.query("Slurm & !(x | y):* 'z' <-> \\ -- ;")).isEqualTo("slurm:* & x:* & y:* & z:*");
        assertThat(SearchWords.query("GPU-Größe_2")).isEqualTo("gpu:* & größe:* & 2:*");
        assertThat(SearchWords.query("a b c d e f g h i j").split("&")).hasSize(8);
    }

    @Test
    void query_isNone_whenNothingIsLeftToLookFor() {
        assertThat(SearchWords.query(" -*&|\u00a0 ")).isNull();
    }
}
