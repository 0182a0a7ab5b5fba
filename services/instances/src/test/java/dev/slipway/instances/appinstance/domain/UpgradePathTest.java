package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.AppInstance.App;
import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.AppInstance.Status;
import dev.slipway.instances.appinstance.domain.AppInstance.Terms;
import dev.slipway.instances.appinstance.domain.UpgradePath.Way;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class UpgradePathTest {
    private static final UUID ID = new UUID(0, 1);
    private static final Way ANY_EARLIER = new Way("rolling", List.of());
    private static final Way UNSUPPORTED = new Way("unsupported", List.of());

    @Test
    void upgrade_isRefusedWithTheReason_whenNoWayLeadsThere() {
        assertThat(upgrade("1.2.0", "bare_metal", ANY_EARLIER)).contains("runs 1.2.0 already");
        assertThat(upgrade("1.3.0", "bare_metal", UNSUPPORTED)).contains("does not support");
        assertThat(upgrade("1.3.0", "k8s", ANY_EARLIER)).contains("runs on k8s");
        assertThat(upgrade("1.1.9", "bare_metal", ANY_EARLIER)).contains("roll back");
        assertThat(upgrade("2.0.0", "bare_metal", new Way("in_place", List.of("1.9.0"))))
                .contains("from 1.9.0 only");
    }

    @Test
    void upgrade_isPossible_fromEarlierOnes_orFromThoseThatTheManifestNames() {
        assertThat(upgrade("1.10.0", "bare_metal", ANY_EARLIER)).isEmpty();
        assertThat(upgrade("1.1.0", "bare_metal", new Way("in_place", List.of("1.2.0"))))
                .isEmpty();
    }

    @Test
    void rollback_isRefusedWithTheReason_whenNoWayLeadsBack() {
        var before = new Previous(ID, "1.1.0", "{}");

        assertThat(rollback(null, ANY_EARLIER)).contains("nothing to go back to");
        assertThat(rollback(before, UNSUPPORTED)).contains("does not support");
        assertThat(rollback(before, new Way("redeploy", List.of("1.0.0")))).contains("1.0.0 only");
        assertThat(rollback(before, new Way("redeploy", List.of("1.1.0")))).isEmpty();
        assertThat(rollback(before, ANY_EARLIER)).isEmpty();
    }

    @Test
    void compare_isAsPeopleCount() {
        var ordered = List.of("0.9", "1.0.0-rc1", "1.0.0-rc2", "1.0.0", "1.0.0.1", "1.2", "1.2.0", "1.10", "2024.1");
        for (var i = 0; i < ordered.size(); i++) {
            for (var j = 0; j < ordered.size(); j++) {
                assertThat(Integer.signum(UpgradePath.compare(ordered.get(i), ordered.get(j))))
                        .as("%s and %s", ordered.get(i), ordered.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    private static String upgrade(String to, String backend, Way way) {
        var refused = UpgradePath.upgrade(instance(), to, backend, way);
        if (refused == null) {
            return "";
        }
        assertThat(refused.code()).isEqualTo("upgrade_not_possible");
        return refused.message();
    }

    private static String rollback(Previous to, Way way) {
        var refused = UpgradePath.rollback(instance(), to, way);
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
                new App(ID, ID, "echo", "1.2.0", "bare_metal"),
                "Mine",
                "tenant_dedicated",
                "project",
                Status.RUNNING,
                ID,
                ID,
                ID,
                "{}",
                "{}",
                null,
                1,
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                null,
                Placement.ANYWHERE,
                null,
                Terms.USUAL,
                null);
    }
}
