package dev.slipway.contract.domain;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class RegistryLifecycleTest {
    @ParameterizedTest
    @CsvSource({"DRAFT,ACTIVE RETIRED", "ACTIVE,DEPRECATED RETIRED", "DEPRECATED,ACTIVE RETIRED", "RETIRED,''"})
    void canTransitionTo_allowsNothingElse(RegistryLifecycle from, String to) {
        var reached = Arrays.stream(RegistryLifecycle.values())
                .filter(from::canTransitionTo)
                .map(Enum::name)
                .collect(Collectors.joining(" "));

        assertThat(reached).isEqualTo(to);
    }

    @ParameterizedTest
    @CsvSource({"DRAFT,false", "ACTIVE,true", "DEPRECATED,true", "RETIRED,false"})
    void isUsable_whenActiveOrDeprecated(RegistryLifecycle lifecycle, boolean usable) {
        assertThat(lifecycle.isUsable()).isEqualTo(usable);
    }
}
