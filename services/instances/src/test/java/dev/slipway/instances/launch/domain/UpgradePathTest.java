package dev.slipway.instances.launch.domain;

import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.operations.domain.SubjectState;
import dev.slipway.operations.domain.SubjectState.Status;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class UpgradePathTest {
    private static final UUID ID = new UUID(0, 1);
    private static final UpgradeRule ANY_EARLIER = new UpgradeRule("rolling", List.of());
    private static final UpgradeRule UNSUPPORTED = new UpgradeRule("unsupported", List.of());

    @Test
    void checkUpgrade_explains_whenNotPossible() {
        assertThat(upgrade("1.2.0", "bare_metal", ANY_EARLIER)).contains("already runs version 1.2.0");
        assertThat(upgrade("1.3.0", "bare_metal", UNSUPPORTED)).contains("does not support");
        assertThat(upgrade("1.3.0", "k8s", ANY_EARLIER)).contains("runs on k8s");
        assertThat(upgrade("1.1.9", "bare_metal", ANY_EARLIER)).contains("Roll back");
        assertThat(upgrade("2.0.0", "bare_metal", new UpgradeRule("in_place", List.of("1.9.0"))))
                .contains("only from 1.9.0");
    }

    @Test
    void checkUpgrade_accepts_whenEarlierOrNamed() {
        assertThat(upgrade("1.10.0", "bare_metal", ANY_EARLIER)).isEmpty();
        assertThat(upgrade("1.1.0", "bare_metal", new UpgradeRule("in_place", List.of("1.2.0"))))
                .isEmpty();
    }

    @Test
    void checkRollback_explains_whenNotPossible() {
        var before = new PreviousVersion(ID, "1.1.0", "{}");

        assertThat(rollback(null, ANY_EARLIER)).contains("no version to roll back to");
        assertThat(rollback(before, UNSUPPORTED)).contains("does not support");
        assertThat(rollback(before, new UpgradeRule("redeploy", List.of("1.0.0"))))
                .contains("only to 1.0.0");
        assertThat(rollback(before, new UpgradeRule("redeploy", List.of("1.1.0"))))
                .isEmpty();
        assertThat(rollback(before, ANY_EARLIER)).isEmpty();
    }

    @Test
    void compare_ordersByParts() {
        var ordered = List.of("0.9", "1.0.0-rc1", "1.0.0-rc2", "1.0.0", "1.0.0.1", "1.2", "1.2.0", "1.10", "2024.1");
        for (var i = 0; i < ordered.size(); i++) {
            for (var j = 0; j < ordered.size(); j++) {
                assertThat(Integer.signum(UpgradePath.compare(ordered.get(i), ordered.get(j))))
                        .as("%s and %s", ordered.get(i), ordered.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    private static String upgrade(String to, String backend, UpgradeRule upgradeRule) {
        var refused = UpgradePath.checkUpgrade(instance().app(), "instance", to, backend, upgradeRule);
        if (refused == null) {
            return "";
        }
        assertThat(refused.code()).isEqualTo("upgrade_not_possible");
        return refused.message();
    }

    private static String rollback(PreviousVersion to, UpgradeRule upgradeRule) {
        var refused = UpgradePath.checkRollback(instance().app(), "instance", to, upgradeRule);
        if (refused == null) {
            return "";
        }
        assertThat(refused.code()).isEqualTo("rollback_not_possible");
        return refused.message();
    }

    private static AppInstance instance() {
        return new AppInstance(
                ID,
                "slipway:name",
                ID,
                ID,
                new AppVersionRef(ID, ID, "echo", "1.2.0", "bare_metal"),
                "Mine",
                "tenant_dedicated",
                "project",
                ID,
                ID,
                ID,
                "{}",
                Instant.EPOCH,
                Placement.UNSPECIFIED,
                null,
                LifecycleSettings.DEFAULT,
                null,
                null,
                new SubjectState(Status.RUNNING, "{}", null, 1, 1, Instant.EPOCH, null));
    }
}
