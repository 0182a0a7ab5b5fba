package dev.slipway.conformance;

import dev.slipway.conformance.ConformanceProfile.ProfileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ConformanceProfileTest {
    @TempDir
    Path home;

    private ConformanceProfile read(String json) throws Exception {
        return ConformanceProfile.read(Files.writeString(home.resolve("profile.json"), json));
    }

    @Test
    void read_listsAllFaults_whenClaimsLackTheirFields() {
        assertThatThrownBy(() -> read("{\"manifest\": {\"app\": \"a\", \"version\": \"1\"},"
                        + " \"claims\": [\"rollback\", \"members\", \"operations\", \"usage\", \"magic\"]}"))
                .isInstanceOf(ProfileException.class)
                .hasMessageContainingAll(
                        "runtime_backend", "magic", "rollback", "\"component\"", "\"operation\"", "usage_units");
    }

    @Test
    void read_fails_whenAFieldIsUnknown() {
        assertThatThrownBy(
                        () -> read("{\"manifest\": {\"app\": \"a\", \"version\": \"1\", \"runtime_backend\": \"ray\"},"
                                + " \"slwo\": {}, \"probe\": {\"helth\": \"/\"}}"))
                .isInstanceOf(ProfileException.class)
                .hasMessageContainingAll(
                        "\"slwo\" is not a field of a profile", "\"helth\" is not a field of \"probe\"");
    }

    @Test
    void read_mergesVariantsWithBaseApp() throws Exception {
        var profile = read("{\"manifest\": {\"app\": \"a\", \"version\": \"1\", \"runtime_backend\": \"ray\"},"
                + " \"config\": {\"size\": 1, \"colour\": \"red\"},"
                + " \"failing\": {\"config\": {\"size\": -1}},"
                + " \"upgrade\": {\"app_version\": \"2\", \"config\": {\"colour\": \"blue\"}}}");
        assertThat(profile.backend()).isEqualTo("ray");
        assertThat(profile.slow()).isNull();
        assertThat(profile.failing().config().path("size").asInt()).isEqualTo(-1);
        assertThat(profile.failing().version()).isEqualTo("1");
        assertThat(profile.failingUpgrade().version()).isEqualTo("2");
        assertThat(profile.failingUpgrade().config().toString()).isEqualTo("{\"size\":-1,\"colour\":\"blue\"}");
    }

    @Test
    void example_isValid() throws Exception {
        assertThat(ConformanceProfile.example().appSlug()).isEqualTo("echo");
    }
}
