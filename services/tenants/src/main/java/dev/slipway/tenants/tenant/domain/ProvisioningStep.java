package dev.slipway.tenants.tenant.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** The state of one step of provisioning. */
public record ProvisioningStep(
        Name name,
        Status status,
        @Nullable Instant startedAt,
        @Nullable Instant completedAt,
        @Nullable String error,
        int attempts) {

    /** The steps, in their order. */
    public enum Name implements TextEnum {
        CREATE_DATABASE,
        CREATE_ROLE,
        SYNC_SCHEMA,
        APPLY_POLICIES,
        SEED_DATA,
        REGISTER;

        /** Returns whether the tenant needs the step. */
        public boolean appliesTo(Tenant tenant) {
            return switch (this) {
                case REGISTER -> true;
                case SYNC_SCHEMA, APPLY_POLICIES, SEED_DATA -> tenant.hasTables();
                case CREATE_ROLE -> tenant.hasTables() && tenant.isolationLevel() != IsolationLevel.SHARED_SCHEMA;
                case CREATE_DATABASE -> tenant.hasTables() && tenant.isolationLevel() == IsolationLevel.ISOLATED_DB;
            };
        }
    }

    /** The states of a step. */
    public enum Status implements TextEnum {
        PENDING,
        RUNNING,
        COMPLETED,
        FAILED,
        SKIPPED
    }

    public boolean isDone() {
        return status == Status.COMPLETED || status == Status.SKIPPED;
    }
}
