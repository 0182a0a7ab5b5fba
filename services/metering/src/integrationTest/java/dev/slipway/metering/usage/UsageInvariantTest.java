package dev.slipway.metering.usage;

import dev.slipway.service.consistency.ConsistencyCheck;
import io.vertx.sqlclient.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import static dev.slipway.metering.usage.UsageFixture.OTHER_ORG;
import static dev.slipway.metering.usage.UsageFixture.OTHER_PROJECT;
import static dev.slipway.metering.usage.UsageFixture.account;
import static dev.slipway.metering.usage.UsageFixture.await;
import static dev.slipway.metering.usage.UsageFixture.fact;
import static org.assertj.core.api.Assertions.assertThat;

/** The continuous checks of the sums of usage, in slices of one row. */
class UsageInvariantTest {
    private final UsageFixture fixture = new UsageFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void checks_findTheSumsThatDiffer_inAllSlices() {
        var hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
        fixture.report(
                fact("a", "1", hour.minusSeconds(60), hour),
                fact("b", "2", hour.minusSeconds(7_200), hour.minusSeconds(7_100)),
                fact("c", "3", hour.minus(40, ChronoUnit.DAYS), hour.minus(39, ChronoUnit.DAYS)));
        fixture.report(account(OTHER_ORG, OTHER_PROJECT), "factory", List.of(fact("d")));
        for (var check : List.of(check("usage_hours"), check("usage_months"))) {
            assertThat(differences(check)).isEmpty();
        }

        fixture.database.execute(
                "UPDATE metering.usage_hours SET quantity = quantity + 1 WHERE org_id = '" + OTHER_ORG + "'");

        for (var check : List.of(check("usage_hours"), check("usage_months"))) {
            assertThat(differences(check)).hasSize(1).allMatch(text -> text.startsWith(OTHER_ORG.toString()));
        }
    }

    private static ConsistencyCheck check(String name) {
        return UsageInvariantStore.checks().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private List<String> differences(ConsistencyCheck check) {
        var found = new ArrayList<String>();
        for (var after = ""; ; ) {
            var rows = await(fixture.reads().preparedQuery(check.slice()).execute(Tuple.of(after, 1)));
            if (rows.size() == 0) {
                return found;
            }
            var row = rows.iterator().next();
            after = row.getString("key");
            var difference = check.verdict().apply(row);
            if (difference != null) {
                found.add(after + " " + difference);
            }
        }
    }
}
