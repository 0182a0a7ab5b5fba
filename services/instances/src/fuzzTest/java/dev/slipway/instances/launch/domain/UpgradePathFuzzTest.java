package dev.slipway.instances.launch.domain;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Fuzzes the order of versions: it decides whether a change is an upgrade, so it must be an order. */
class UpgradePathFuzzTest {
    private static final int MAX_LENGTH = 40;

    @FuzzTest
    void compare_isAnOrder(FuzzedDataProvider data) {
        var first = data.consumeAsciiString(MAX_LENGTH);
        var second = data.consumeAsciiString(MAX_LENGTH);
        var third = data.consumeRemainingAsAsciiString();

        assertThat(UpgradePath.compare(first, first)).isZero();
        assertThat(Integer.signum(UpgradePath.compare(first, second)))
                .isEqualTo(-Integer.signum(UpgradePath.compare(second, first)));
        if (UpgradePath.compare(first, second) <= 0 && UpgradePath.compare(second, third) <= 0) {
            assertThat(UpgradePath.compare(first, third)).isNotPositive();
        }
    }
}
