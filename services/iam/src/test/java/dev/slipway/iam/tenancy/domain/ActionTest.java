package dev.slipway.iam.tenancy.domain;

import dev.slipway.iam.tenancy.domain.Action.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class ActionTest {
    @ParameterizedTest
    @CsvSource({"DRAFT,ACTIVE RETIRED", "ACTIVE,DEPRECATED RETIRED", "DEPRECATED,ACTIVE RETIRED", "RETIRED,''"})
    void canBecome_isTrue_forAllowedTransitionsOnly(Lifecycle from, String to) {
        var reached = Arrays.stream(Lifecycle.values())
                .filter(from::canBecome)
                .map(Enum::name)
                .collect(Collectors.joining(" "));

        assertThat(reached).isEqualTo(to);
    }

    @ParameterizedTest
    @CsvSource({"DRAFT", "ACTIVE", "DEPRECATED", "RETIRED"})
    void in_raisesTheVersion_andKeepsTheRest(Lifecycle next) {
        var before = new Action("a.b", "a", 3, "low", Lifecycle.DRAFT, "A.", List.of("r"), Instant.EPOCH);
        var at = Instant.EPOCH.plusSeconds(1);

        assertThat(before.withLifecycle(next, at))
                .isEqualTo(new Action("a.b", "a", 4, "low", next, "A.", List.of("r"), at));
    }
}
