package dev.slipway.metering.usage;

import dev.slipway.metering.usage.domain.FactKey;
import dev.slipway.metering.usage.domain.FactResult;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.util.List;
import java.util.Map;

import static dev.slipway.metering.usage.UsageFixture.ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.PROJECT;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.context;
import static org.assertj.core.api.Assertions.assertThat;

/** Tests how long and how often refusals are recorded. */
class UsageRefusalTest {
    private final UsageFixture fixture = new UsageFixture();
    private final UsageRefusalCleaner cleaner =
            new UsageRefusalCleaner(fixture.vertx(), fixture.store, Clock.systemUTC());

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void refusal_isRecordedAgain_onlyForAnotherReason() {
        refuse("a", "unit");
        refuse("a", "unit");
        refuse("a", "quantity");

        assertThat(fixture.get(fixture.queries::listRefusals, ORG, PROJECT, Map.of())
                        .path("items")
                        .findValuesAsText("field"))
                .containsExactlyInAnyOrder("unit", "quantity");
    }

    @Test
    void refusals_areDeleted_whenOldOrTooMany() {
        for (var i = 0; i < 5; i++) {
            refuse("f" + i, "unit");
        }
        await(fixture.outbox.transaction(context(), unit -> {
            fixture.store.insertRefusals(
                    unit, List.of(rejected("other", "unit")), OTHER_ORG, OTHER_PROJECT, "correlation");
            return Future.succeededFuture();
        }));
        fixture.database.execute(
                "UPDATE metering.usage_refusals SET received_at = received_at - interval '91 days' WHERE fact_id = 'f4'");

        await(cleaner.clean(3));

        assertThat(fixture.database.query(
                        "SELECT string_agg(fact_id, ' ' ORDER BY fact_id) FROM metering.usage_refusals"))
                .isEqualTo("f1 f2 f3 other");
    }

    private void refuse(String id, String field) {
        await(fixture.outbox.transaction(context(), unit -> {
            fixture.store.insertRefusals(unit, List.of(rejected(id, field)), ORG, PROJECT, "correlation");
            return Future.succeededFuture();
        }));
    }

    private static FactResult rejected(String id, String field) {
        return FactResult.rejected(new FactKey("source", id), field, "is not valid");
    }
}
