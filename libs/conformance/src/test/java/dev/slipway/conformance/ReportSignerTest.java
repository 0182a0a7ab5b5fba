package dev.slipway.conformance;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReportSignerTest {
    @TempDir
    Path home;

    @Test
    void isSignatureValid_isFalse_whenReportOrSignatureIsChanged() throws Exception {
        var report = Json.object().put("passed", false).put("scenarios", 3);
        var sealed = ReportSigner.generate().sign(report);
        assertThat(ReportSigner.isSignatureValid(sealed)).isTrue();

        var forged = sealed.deepCopy();
        forged.withObject("/report").put("passed", true);
        assertThat(ReportSigner.isSignatureValid(forged)).isFalse();

        var others = sealed.deepCopy();
        others.set("signature", ReportSigner.generate().sign(report).path("signature"));
        assertThat(ReportSigner.isSignatureValid(others))
                .as("signed with another key")
                .isTrue();
        assertThat(ReportSigner.fingerprint(others)).isNotEqualTo(ReportSigner.fingerprint(sealed));

        assertThat(ReportSigner.isSignatureValid(Json.object())).isFalse();
    }

    @Test
    void isSignatureValid_isTrue_whenFieldOrderDiffers() throws Exception {
        var sealed = ReportSigner.generate().sign(Json.object().put("a", 1).put("b", 2));
        sealed.set("report", Json.object().put("b", 2).put("a", 1));
        assertThat(ReportSigner.isSignatureValid(sealed)).isTrue();
    }

    @Test
    void load_createsKeyReadableByOwnerOnly_once() throws Exception {
        var file = home.resolve("key.pem");
        var first = ReportSigner.load(file).sign(Json.object());
        var second = ReportSigner.load(file).sign(Json.object());
        assertThat(ReportSigner.fingerprint(second)).isEqualTo(ReportSigner.fingerprint(first));
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    void load_fails_whenPublicKeyIsMissing() throws Exception {
        var file = home.resolve("key.pem");
        assertThat(ReportSigner.load(file)).isNotNull();
        var text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.indexOf("-----BEGIN PUBLIC")));
        assertThatThrownBy(() -> ReportSigner.load(file)).hasMessageContaining("-pubout");
    }
}
