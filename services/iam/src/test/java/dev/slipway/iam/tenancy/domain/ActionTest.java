package dev.slipway.iam.tenancy.domain;

import dev.slipway.contract.domain.RegistryLifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ActionTest {
    @ParameterizedTest
    @CsvSource({"DRAFT", "ACTIVE", "DEPRECATED", "RETIRED"})
    void in_raisesTheVersion_andKeepsTheRest(RegistryLifecycle next) {
        var before = new Action("a.b", "a", 3, "low", RegistryLifecycle.DRAFT, "A.", List.of("r"), Instant.EPOCH);
        var at = Instant.EPOCH.plusSeconds(1);

        assertThat(before.withLifecycle(next, at))
                .isEqualTo(new Action("a.b", "a", 4, "low", next, "A.", List.of("r"), at));
    }
}
