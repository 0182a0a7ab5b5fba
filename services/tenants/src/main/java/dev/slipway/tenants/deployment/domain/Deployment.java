package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A deployment without its bundle and plan.
 *
 * @param appName the installed app whose bundle it is; empty for the tenant's own bundle
 * @param keepTables whether the tables of removed objects remain
 * @param expectedPlanHash the hash that the plan must have; null if any plan is accepted
 * @param unrestorable the objects and fields whose data a rollback cannot restore
 */
public record Deployment(
        UUID id,
        UUID tenantId,
        UUID orgId,
        String appName,
        DeploymentKind kind,
        String version,
        String checksum,
        boolean keepTables,
        boolean allowBreaking,
        @Nullable String expectedPlanHash,
        DeploymentStatus status,
        @Nullable String planHash,
        int statementsExecuted,
        int seededRecords,
        List<String> unrestorable,
        @Nullable String error,
        UUID requestedBy,
        String correlationId,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable Instant rolledBackAt) {
    /** The app name of the tenant's own bundle. */
    public static final String OWN_BUNDLE = "";

    public Deployment withStatus(DeploymentStatus next) {
        return new Deployment(
                id,
                tenantId,
                orgId,
                appName,
                kind,
                version,
                checksum,
                keepTables,
                allowBreaking,
                expectedPlanHash,
                next,
                planHash,
                statementsExecuted,
                seededRecords,
                unrestorable,
                error,
                requestedBy,
                correlationId,
                createdAt,
                startedAt,
                completedAt,
                rolledBackAt);
    }

    /** Returns why the plan may not be executed, or null if it may. */
    public @Nullable String reasonAgainst(DeployDiff diff, String actualPlanHash) {
        if (expectedPlanHash != null && !expectedPlanHash.equals(actualPlanHash)) {
            return "The plan has changed since it was made, because another deployment finished in between. Make a new plan.";
        }
        if (!diff.hasBreakingChanges() || allowBreaking) {
            return null;
        }
        var first = diff.changes().stream()
                .filter(MetadataChange::breaking)
                .findFirst()
                .orElseThrow();
        return "The bundle contains breaking changes, such as "
                + (first.parentEntity() == null ? "" : first.parentEntity() + ".") + first.entityName() + ": "
                + first.reason() + " Set allow_breaking to deploy it.";
    }
}
