package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.metering.usage.domain.AttributionContext.Attachment;
import dev.slipway.metering.usage.domain.AttributionContext.InstanceEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeEntry;
import dev.slipway.metering.usage.domain.AttributionContext.RuntimeProject;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An organization with two projects and a shared runtime, to which both were attached, and app instances of the first. */
final class FactRulesFixture {
    static final UUID ORG = new UUID(1, 1);
    static final UUID PROJECT = new UUID(1, 2);
    static final UUID SIBLING = new UUID(1, 3);
    static final UUID RUNTIME = new UUID(1, 4);
    static final UUID INSTANCE = new UUID(1, 5);
    /** Its attachment is not replicated yet. */
    static final UUID INSTANCE_OF_NEW_RUNTIME = new UUID(1, 6);

    static final UUID FIRST = new UUID(2, 1);
    static final UUID SECOND = new UUID(2, 2);
    static final UUID OF_SIBLING = new UUID(2, 3);
    static final Instant NOW = Instant.parse("2026-06-20T00:00:00Z");
    static final UsageUnit TOKEN = new UsageUnit("token", 3, 0, RegistryLifecycle.ACTIVE);
    static final UsageUnit RETIRED = new UsageUnit("call", 1, 0, RegistryLifecycle.RETIRED);

    private FactRulesFixture() {}

    static AttributionContext context() {
        return new AttributionContext(
                Map.of(INSTANCE, instance(RUNTIME), INSTANCE_OF_NEW_RUNTIME, instance(new UUID(1, 7))),
                Map.of(RUNTIME, new RuntimeEntry(ORG, "slurm", "tenant_dedicated", "tenant", "slurm", "create")),
                Map.of(
                        new RuntimeProject(RUNTIME, PROJECT),
                        List.of(
                                new Attachment(SECOND, Instant.parse("2026-06-10T00:00:00Z"), null),
                                new Attachment(
                                        FIRST,
                                        Instant.parse("2026-06-01T00:00:00Z"),
                                        Instant.parse("2026-06-05T00:00:00Z"))),
                        new RuntimeProject(RUNTIME, SIBLING),
                        List.of(new Attachment(OF_SIBLING, null, null))),
                Map.of(PROJECT, ORG, SIBLING, ORG),
                Map.of("token", TOKEN, "call", RETIRED),
                new BookingPeriods(null));
    }

    private static InstanceEntry instance(UUID sharedRuntimeId) {
        return new InstanceEntry(
                ORG, PROJECT, "slurm", "tenant_dedicated", "tenant", "slurm", "launch", sharedRuntimeId);
    }

    /** Returns a fact of an hour. */
    static ReportedFact fact(@Nullable Integer unitVersion, String unit, Instant start, FactAttribution attribution) {
        return new ReportedFact(
                "source",
                "id",
                unit,
                unitVersion,
                BigDecimal.TEN,
                null,
                start,
                start.plusSeconds(3_600),
                null,
                attribution,
                null,
                null);
    }

    /** Returns the attribution of a fact that names its projects and its attachment. */
    static FactAttribution ofRuntime(
            @Nullable UUID projectId, @Nullable UUID attachmentId, @Nullable UUID sourceProjectId) {
        return new FactAttribution(
                projectId, null, RUNTIME, attachmentId, sourceProjectId, null, null, null, null, null, null, null);
    }
}
