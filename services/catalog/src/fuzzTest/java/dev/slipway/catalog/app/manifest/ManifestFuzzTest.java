package dev.slipway.catalog.app.manifest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.contract.ManifestSchema;
import dev.slipway.contract.UntrustedSchema;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes manifests and the schemas in them, whose defaults are validated. */
class ManifestFuzzTest {
    private static final ManifestRules RULES = new ManifestRules(ManifestSchema.load());

    @FuzzTest
    void validate_returnsProblems(byte[] bytes) {
        JsonNode manifest;
        try {
            manifest = Json.parse(bytes);
        } catch (IOException e) {
            return;
        }
        var problems = RULES.validate(manifest, null, null);
        assertThat(problems)
                .allSatisfy(problem -> assertThat(problem.toString()).isNotBlank());
        assertThat(UntrustedSchema.validate("/schema", manifest)).doesNotContainNull();
    }
}
