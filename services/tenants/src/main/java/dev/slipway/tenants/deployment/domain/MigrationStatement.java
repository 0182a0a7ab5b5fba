package dev.slipway.tenants.deployment.domain;

import org.jspecify.annotations.Nullable;

/**
 * A statement of a migration plan.
 *
 * @param order the position, from 1
 * @param reversible whether the rollback restores schema and data; a dropped column comes back without its data
 * @param rollbackSql the statement that restores the schema
 * @param transactional whether the statement runs in the transaction of the migration; PostgreSQL builds an index concurrently only outside of one
 * @param lock the strongest table lock that the statement takes
 * @param estimatedDurationMs a rough estimate from the number of records of the table
 */
public record MigrationStatement(
        int order,
        String sql,
        boolean reversible,
        @Nullable String rollbackSql,
        boolean transactional,
        Lock lock,
        long estimatedDurationMs) {
    /** The lock modes of PostgreSQL that a migration uses. */
    public enum Lock {
        NONE,
        SHARE_UPDATE_EXCLUSIVE,
        SHARE_ROW_EXCLUSIVE,
        ACCESS_EXCLUSIVE
    }
}
