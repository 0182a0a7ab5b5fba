package dev.slipway.conformance;

import dev.slipway.contract.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SealTest {
    @TempDir
    Path home;

    @Test
    void isIntact_isFalse_whenTheReportOrTheSignatureIsAnother() throws Exception {
        var report = Json.object().put("passed", false).put("scenarios", 3);
        var sealed = Seal.generated().sign(report);
        assertThat(Seal.isIntact(sealed)).isTrue();

        var forged = sealed.deepCopy();
        forged.withObject("/report").put("passed", true);
        assertThat(Seal.isIntact(forged)).isFalse();

        var others = sealed.deepCopy();
        others.set("signature", Seal.generated().sign(report).path("signature"));
        assertThat(Seal.isIntact(others)).as("signed by another").isTrue();
        assertThat(Seal.fingerprint(others)).isNotEqualTo(Seal.fingerprint(sealed));

        assertThat(Seal.isIntact(Json.object())).isFalse();
    }

    @Test
    void isIntact_isTrue_whenTheReportWasWrittenInAnotherOrder() throws Exception {
        var sealed = Seal.generated().sign(Json.object().put("a", 1).put("b", 2));
        sealed.set("report", Json.object().put("b", 2).put("a", 1));
        assertThat(Seal.isIntact(sealed)).isTrue();
    }

    @Test
    void of_makesTheKeyOnce_forItsOwnerAlone() throws Exception {
        var file = home.resolve("key.pem");
        var first = Seal.of(file).sign(Json.object());
        var second = Seal.of(file).sign(Json.object());
        assertThat(Seal.fingerprint(second)).isEqualTo(Seal.fingerprint(first));
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
    }

    @Test
    void of_saysWhatIsMissing_whenTheFileHasHalfAKey() throws Exception {
        var file = home.resolve("key.pem");
        assertThat(Seal.of(file)).isNotNull();
        var text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.indexOf("-----BEGIN PUBLIC")));
        assertThatThrownBy(() -> Seal.of(file)).hasMessageContaining("-pubout");
    }
}
