package dev.slipway.metering.runtimehours;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Contract;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.metering.runtimehours.domain.InstanceAttribution;
import dev.slipway.metering.runtimehours.domain.InstanceUsage;
import dev.slipway.metering.runtimehours.domain.ReportedQuantity;
import dev.slipway.service.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceUsageApiTest {
    private static final Instant STARTED = Instant.parse("2026-01-01T00:00:00.000001Z");

    @ParameterizedTest
    @CsvSource({
        "0.000000,0",
        "100.000000,100",
        "0.000001,0.000001",
        "86400.250000,86400.25",
        "9007199254740993.000001,9007199254740993.000001"
    })
    void toJson_keepsDecimalsExact(String seconds, String shown) {
        var body = InstanceUsageApi.body(new Page<>(List.of(usage(seconds)), null), STARTED, 0.5);

        assertThat(body.at("/items/0/quantity_seconds").asText()).isEqualTo(shown);
        assertThat(body.at("/items/0/reported/0/quantity").asText()).isEqualTo("1.5");
        assertThat(problems(body)).isEmpty();
    }

    @Test
    void toJson_containsNextCursor_whenThereIsANextPage() {
        var next = new Cursor(STARTED, Ids.next());

        var body = InstanceUsageApi.body(new Page<>(List.of(usage("1")), next), STARTED, 0.5);

        assertThat(body.path("next_cursor").asText()).isEqualTo(next.encode());
        assertThat(problems(body)).isEmpty();
    }

    private static List<FieldProblem> problems(ObjectNode body) {
        var problems = new ArrayList<FieldProblem>();
        Contract.load().responseValidator("getProjectUsage", 200).validate(body, problems);
        return problems;
    }

    private static InstanceUsage usage(String seconds) {
        var usageAttribution = new InstanceAttribution(
                Ids.next(), Ids.next(), Ids.next(), "slurm", "tenant_dedicated", "project", "slurm", "c-1", null);
        return new InstanceUsage(
                usageAttribution,
                new BigDecimal(seconds),
                true,
                STARTED,
                List.of(new ReportedQuantity("token", new BigDecimal("1.50"))));
    }
}
