package dev.slipway.tenants.deployment.domain;

import java.util.List;

/**
 * The ordered statements that migrate a tenant's database to a bundle.
 *
 * @param reversible whether a rollback restores everything, data included
 */
public record MigrationPlan(
        List<MigrationStatement> statements, String dialect, boolean reversible, long estimatedDurationMs) {
    private static final String DIALECT = "postgresql";

    /** The plan for a tenant without tables. */
    public static final MigrationPlan NONE = of(List.of());

    static MigrationPlan of(List<MigrationStatement> statements) {
        return new MigrationPlan(
                List.copyOf(statements),
                DIALECT,
                statements.stream().allMatch(MigrationStatement::reversible),
                statements.stream()
                        .mapToLong(MigrationStatement::estimatedDurationMs)
                        .sum());
    }
}
