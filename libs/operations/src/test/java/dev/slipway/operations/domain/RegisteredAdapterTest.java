package dev.slipway.operations.domain;

import dev.slipway.contract.domain.ResourceState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class RegisteredAdapterTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void isAlive_isFalse_withoutRecentHeartbeat() {
        assertThat(adapter(ResourceState.ACTIVE, null).isAlive(NOW)).isFalse();
        assertThat(adapter(ResourceState.ACTIVE, NOW.minusSeconds(30)).isAlive(NOW))
                .isFalse();
    }

    @Test
    void isAlive_isFalse_whenDisabled() {
        assertThat(adapter(ResourceState.DISABLED, NOW).isAlive(NOW)).isFalse();
    }

    @Test
    void isAlive_isTrue_afterRecentHeartbeat() {
        assertThat(adapter(ResourceState.ACTIVE, NOW.minusSeconds(29)).isAlive(NOW))
                .isTrue();
    }

    private static RegisteredAdapter adapter(ResourceState state, @Nullable Instant lastSeenAt) {
        return new RegisteredAdapter(new UUID(0, 1), "bare_metal", "One", state, lastSeenAt, null, null, null, null);
    }
}
