package dev.slipway.contract;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.UUID;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class IdsTest {
    @Test
    void next_returnsAVersion7Uuid_withTheCurrentTime() {
        var before = System.currentTimeMillis();

        var id = Ids.next();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis());
    }

    @Test
    void at_sortsByTime() {
        var inOrder = LongStream.of(0, 1, 255, 256, 65_536, 1_700_000_000_000L, 1_700_000_000_001L, (1L << 48) - 1)
                .mapToObj(Ids::at)
                .map(UUID::toString)
                .toList();

        assertThat(inOrder).isSorted();
    }

    @Test
    void at_differs_whenTheTimeIsTheSame() {
        var made = new HashSet<UUID>();
        for (var i = 0; i < 10_000; i++) {
            made.add(Ids.at(1_700_000_000_000L));
        }

        assertThat(made).hasSize(10_000).allMatch(id -> id.version() == 7 && id.variant() == 2);
    }
}
