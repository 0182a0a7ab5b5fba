package dev.slipway.tenants.quota.domain;

import dev.slipway.contract.Json;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QuotasTest {
    private static final Quotas QUOTAS = new Quotas(10L, 1000L, 60L, 20L, 100L, 5L);

    @Test
    void check_allowsUpToTheLimit_forEveryQuota() {
        for (var quota : Quota.values()) {
            var limit = QUOTAS.limit(quota);
            assertThat(QUOTAS.check(quota, limit - 1, 1).allowed())
                    .as(quota.name())
                    .isTrue();
            var exceeded = QUOTAS.check(quota, limit, 1);
            assertThat(exceeded.allowed()).as(quota.name()).isFalse();
            assertThat(exceeded.exceededQuota()).isEqualTo(quota);
            assertThat(exceeded.limit()).isEqualTo(limit);
            assertThat(exceeded.message()).contains(quota.unit());
        }
    }

    @Test
    void checkUser_refusesNewUser_whenThePlanAllowsNoMore() {
        assertThat(QUOTAS.checkUser(10, false).exceededQuota()).isEqualTo(Quota.MAX_USERS);
        assertThat(QUOTAS.checkUser(9, false).allowed()).isTrue();
    }

    @Test
    void checkUser_allowsRegisteredUser_evenAboveTheLimit() {
        assertThat(QUOTAS.checkUser(11, true).allowed()).isTrue();
    }

    @Test
    void check_allowsEverything_withoutALimit() {
        var unlimited = new Quotas(null, null, null, null, null, null);

        for (var quota : Quota.values()) {
            assertThat(unlimited.check(quota, Long.MAX_VALUE - 1, 1).allowed()).isTrue();
        }
    }

    @Test
    @Proves({"4.04", "4.15"})
    void usage_hasTheFieldsOfTheProtocol() {
        var usage = Json.toObject(new TenantUsage(1, 2, 3, 4, 5, 6, null));

        assertThat(usage.fieldNames())
                .toIterable()
                .containsExactly(
                        "current_users",
                        "current_storage_bytes",
                        "current_object_count",
                        "current_record_count",
                        "deployments_today",
                        "api_requests_this_minute",
                        "last_updated_at");
        usage.properties().stream()
                .filter(entry -> !entry.getKey().equals("last_updated_at"))
                .forEach(
                        entry -> assertThat(entry.getValue().isIntegralNumber()).isTrue());
    }
}
