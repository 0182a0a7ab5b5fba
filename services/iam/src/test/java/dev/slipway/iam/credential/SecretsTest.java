package dev.slipway.iam.credential;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;

import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class SecretsTest {
    private static final Buffer FIRST = Secrets.hash("first");
    private static final Buffer SECOND = Secrets.hash("second");

    /** What takes longer could be told apart: an owner from nobody, the first credential from the second. */
    @Test
    void indexOf_looksEquallyOften_whateverThereIsToFind() {
        assertFound(-1, List.of(), "first");
        assertFound(-1, List.of(FIRST), "wrong");
        assertFound(-1, List.of(FIRST, SECOND), "wrong");
        assertFound(0, List.of(FIRST), "first");
        assertFound(0, List.of(FIRST, SECOND), "first");
        assertFound(1, List.of(FIRST, SECOND), "second");
    }

    private static void assertFound(int index, List<Buffer> hashes, String secret) {
        var looks = new AtomicInteger();
        var found = Secrets.indexOf(hashes, secret, (expected, given) -> {
            looks.incrementAndGet();
            assertThat(given).hasSameSizeAs(expected);
            return MessageDigest.isEqual(expected, given);
        });
        assertThat(found).isEqualTo(index);
        assertThat(looks).hasValue(2);
    }
}
