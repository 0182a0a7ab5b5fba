package dev.slipway.service;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentlyUsedTest {
    @Test
    void put_forgetsWhatWasNotAskedForTheLongest_whenThereAreTooMany() {
        var kept = new RecentlyUsed<String, Integer>(2);
        kept.put("a", 1);
        kept.put("b", 2);
        assertThat(kept.get("a")).isEqualTo(1);

        kept.put("c", 3);

        assertThat(kept.get("b")).isNull();
        assertThat(kept.get("a")).isEqualTo(1);
        assertThat(kept.get("c")).isEqualTo(3);
    }
}
