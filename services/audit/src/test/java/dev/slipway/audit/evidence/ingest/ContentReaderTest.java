package dev.slipway.audit.evidence.ingest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ContentReaderTest {
    private static final String IN_TOTO = "application/vnd.in-toto+json";

    private final ContentReader reader = new ContentReader(new AttestationVerifier(List.of()));

    @Test
    void junit_countsTestsAndFailures() {
        var read = junit("""
                <?xml version="1.0"?>
                <testsuites><testsuite name="a">
                  <testcase name="one"/><testcase name="two"><failure message="no"/><error/></testcase>
                  <testcase name="three"><skipped/></testcase></testsuite></testsuites>
                """);

        assertThat(read.result()).isEqualTo("failed");
        assertThat(read.fields().path("tests").asInt()).isEqualTo(3);
        assertThat(read.fields().path("failures").asInt()).isEqualTo(1);
        assertThat(read.fields().path("skipped").asInt()).isEqualTo(1);
        assertThat(read.fields().path("report_ref").asText()).isEqualTo(read.digest());
        assertThat(junit("<testsuite><testcase/></testsuite>").result()).isEqualTo("passed");
    }

    @Test
    void junit_fails_whenThereAreNoTests() {
        assertThat(junit("<testsuite tests=\"12\"/>").result()).isEqualTo("failed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><testsuite><testcase name=\"&x;\"/></testsuite>",
                "<!DOCTYPE a [<!ENTITY x \"lol\"><!ENTITY y \"&x;&x;\">]><testsuite><testcase>&y;</testcase></testsuite>",
                "<!DOCTYPE testsuite SYSTEM \"http://127.0.0.1:9/evil.dtd\"><testsuite><testcase/></testsuite>",
                "<html/>",
                "<testsuite><testcase></testsuite>",
                "not xml"
            })
    void junit_isRejected_whenItHasADocumentTypeOrIsNoReport(String xml) {
        assertThatThrownBy(() -> junit(xml)).isInstanceOf(EvidenceException.class);
    }

    @Test
    void junit_isRejected_whenItIsNestedTooDeeply() {
        var xml = "<testsuite>".repeat(40) + "</testsuite>".repeat(40);

        assertThatThrownBy(() -> junit(xml)).isInstanceOf(EvidenceException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "[]; passed",
                "[{'level': 'warning'}, {}]; passed",
                "[{'level': 'error'}]; failed",
                "[{'ruleId': 'R1'}]; failed",
                "[{'ruleIndex': 0}]; failed",
                "[{'level': 'error', 'kind': 'pass'}]; passed",
                "[{'level': 'error', 'suppressions': [{'kind': 'external'}]}]; triaged",
                "[{'level': 'error', 'suppressions': [{'kind': 'external'}]}, {'level': 'error'}]; failed"
            })
    void sarif_determinesResult(String results, String expected) {
        var log = json("{'version': '2.1.0', 'runs': [{'tool': {'driver': {'name': 'scanner', 'rules': [{'id': 'R1',"
                + " 'defaultConfiguration': {'level': 'error'}}]}}, 'results': " + results + "}]}");

        var read = reader.read("sarif", log);

        assertThat(read.result()).isEqualTo(expected);
        assertThat(read.subject()).isEqualTo("scan");
        assertThat(read.fields().path("tool").asText()).isEqualTo("scanner");
    }

    @Test
    void sbom_isRead() {
        var cyclonedx = reader.read(
                "cyclonedx", json("{'bomFormat': 'CycloneDX', 'specVersion': '1.6', 'components': [{}, {}]}"));
        var spdx = reader.read("spdx", json("{'spdxVersion': 'SPDX-2.3', 'packages': [{}]}"));

        assertThat(cyclonedx.fields().path("format").asText()).isEqualTo("CycloneDX 1.6");
        assertThat(cyclonedx.fields().path("components").asInt()).isEqualTo(2);
        assertThat(spdx.fields().path("components").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sarif", "cyclonedx", "spdx", "dsse", "junit", "unknown"})
    void content_isRejected_whenItIsOfAnotherFormat(String format) {
        assertThatThrownBy(() -> reader.read(format, json("{'a': 1}"))).isInstanceOf(EvidenceException.class);
    }

    @Test
    void json_hasCanonicalDigest() {
        assertThat(reader.read("json", json("{'b': 1.0, 'a': 2}")).digest())
                .isEqualTo(reader.read("json", json("{'a': 2, 'b': 1}")).digest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ed25519", "EC", "RSA"})
    void attestation_isVerified_whenSignedWithATrustedKey(String algorithm) throws GeneralSecurityException {
        var keys = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        var pem = "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder().encodeToString(keys.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
        var trusting = new ContentReader(new AttestationVerifier(List.of(AttestationVerifier.parseKey(pem))));

        var read = trusting.read("dsse", envelope(keys));

        assertThat(read.result()).isEqualTo("verified");
        assertThat(read.fields().path("predicate_type").asText()).isEqualTo("https://slsa.dev/provenance/v1");
        assertThat(read.fields().at("/digests/0").asText()).isEqualTo("sha256:" + "a".repeat(64));
    }

    @Test
    void attestation_isRejected_whenNoTrustedKeySignedIt() throws GeneralSecurityException {
        var generator = KeyPairGenerator.getInstance("Ed25519");
        var trusted = generator.generateKeyPair();
        var trusting = new ContentReader(new AttestationVerifier(List.of(trusted.getPublic())));

        assertThatThrownBy(() -> trusting.read("dsse", envelope(generator.generateKeyPair())))
                .isInstanceOf(EvidenceException.class)
                .hasMessageContaining("trusted key");
        var changed = (com.fasterxml.jackson.databind.node.ObjectNode) envelope(trusted);
        changed.put("payload", base64("{\"_type\": \"https://in-toto.io/Statement/v1\"}"));
        assertThatThrownBy(() -> trusting.read("dsse", changed)).isInstanceOf(EvidenceException.class);
    }

    @Test
    void attestation_isUnverified_whenNoKeysAreConfigured() throws GeneralSecurityException {
        var envelope = envelope(KeyPairGenerator.getInstance("Ed25519").generateKeyPair());

        assertThat(reader.read("dsse", envelope).result()).isEqualTo("unverified");
    }

    private static JsonNode envelope(KeyPair keys) throws GeneralSecurityException {
        var payload =
                "{\"_type\": \"https://in-toto.io/Statement/v1\", \"predicateType\": \"https://slsa.dev/provenance/v1\","
                        + " \"subject\": [{\"name\": \"image\", \"digest\": {\"sha256\": \"" + "a".repeat(64)
                        + "\"}}]}";
        var algorithm = keys.getPublic().getAlgorithm();
        var signature = Signature.getInstance(
                algorithm.equals("EC") ? "SHA256withECDSA" : algorithm.equals("RSA") ? "SHA256withRSA" : "Ed25519");
        signature.initSign(keys.getPrivate());
        signature.update(("DSSEv1 " + IN_TOTO.length() + " " + IN_TOTO + " " + payload.length() + " " + payload)
                .getBytes(StandardCharsets.UTF_8));
        var envelope = Json.object().put("payloadType", IN_TOTO).put("payload", base64(payload));
        envelope.putArray("signatures")
                .addObject()
                .put("keyid", "")
                .put("sig", Base64.getEncoder().encodeToString(signature.sign()));
        return envelope;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private EvidenceContent junit(String xml) {
        return reader.read("junit", TextNode.valueOf(xml));
    }

    private static JsonNode json(String text) {
        return Json.parseTrusted(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }
}
