package dev.slipway.contract;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.slipway.contract.Envelope.MalformedEnvelopeException;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the values of Kafka records. */
class EnvelopeFuzzTest {
    @FuzzTest
    void fromBytes_returnsAnEnvelope_orIsMalformed(byte[] bytes) {
        Envelope envelope;
        try {
            envelope = Envelope.fromBytes(bytes);
        } catch (MalformedEnvelopeException e) {
            return;
        }
        var written = envelope.toBytes();
        assertThat(Envelope.fromBytes(written).toBytes()).isEqualTo(written);
    }
}
