package dev.slipway.messaging;

import dev.slipway.messaging.KafkaSender.OutgoingRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class RecordSignatureTest {
    private static KeyPair pair;

    @BeforeAll
    static void generate() throws Exception {
        pair = newPair();
    }

    private static KeyPair newPair() throws Exception {
        var generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        return generator.generateKeyPair();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 11})
    void everyRecordOfBatch_isValidAlone(int size) {
        var signed = sign(size);

        assertThat(signed).allSatisfy(record -> assertThat(
                        isValid(received(record, record.topic(), record.key(), record.value()), pair))
                .isTrue());
    }

    @Test
    void record_isInvalid_whenTopicKeyOrValueDiffers() {
        var record = sign(3).get(1);

        assertThat(isValid(received(record, "iam.state", record.key(), record.value()), pair))
                .isFalse();
        assertThat(isValid(received(record, record.topic(), "k2", record.value()), pair))
                .isFalse();
        assertThat(isValid(received(record, record.topic(), record.key(), new byte[0]), pair))
                .isFalse();
        assertThat(isValid(received(sign(3).get(2), record.topic(), record.key(), record.value()), pair))
                .isFalse();
    }

    @Test
    void record_isInvalid_whenAnotherKeySignedIt() throws Exception {
        var record = sign(1).get(0);

        assertThat(isValid(received(record, record.topic(), record.key(), record.value()), newPair()))
                .isFalse();
    }

    @Test
    void tombstone_isSigned() {
        var record = RecordSignature.sign(
                        List.of(new OutgoingRecord("authz.state", "k", null, Map.of())), "id", pair.getPrivate())
                .get(0);

        assertThat(isValid(received(record, "authz.state", "k", new byte[0]), pair))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a.b", "a.!.b", "a.b.c.d", "a.AAAA.AAAA"})
    void text_isRejected_whenMalformed(String text) {
        var record = sign(1).get(0);
        var forged =
                new OutgoingRecord(record.topic(), record.key(), record.value(), Map.of(RecordSignature.HEADER, text));

        assertThat(isValid(received(forged, record.topic(), record.key(), record.value()), pair))
                .isFalse();
    }

    private static List<OutgoingRecord> sign(int size) {
        var records = IntStream.range(0, size)
                .mapToObj(i -> new OutgoingRecord(
                        "authz.state", "k" + i, ("value " + i).getBytes(StandardCharsets.UTF_8), Map.of("ce_id", "x")))
                .toList();
        return RecordSignature.sign(records, "id", pair.getPrivate());
    }

    private static ReceivedRecord received(OutgoingRecord record, String topic, String key, byte @Nullable [] value) {
        return new ReceivedRecord(
                topic, 0, 0, Instant.EPOCH, key, value == null ? new byte[0] : value, record.headers());
    }

    private static boolean isValid(ReceivedRecord record, KeyPair with) {
        var signature = RecordSignature.parse(record.headers().getOrDefault(RecordSignature.HEADER, ""));
        try {
            return signature != null && signature.isValid(signature.root(record), with.getPublic());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
