package dev.slipway.metering.ledger.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** Identifies an account of the ledger. The balance of an organization is the sum over its own account and those of its projects. */
public record LedgerAccount(
        Kind kind, @Nullable UUID orgId, @Nullable UUID projectId, String currency) {

    /** The kinds of accounts; the last three belong to the platform. */
    public enum Kind implements TextEnum {
        ORGANIZATION,
        PROJECT,
        REVENUE,
        CASH,
        ADJUSTMENTS
    }

    /** Returns the account of a project, or of the organization without one. */
    public static LedgerAccount ofPayer(UUID orgId, @Nullable UUID projectId, String currency) {
        return new LedgerAccount(projectId == null ? Kind.ORGANIZATION : Kind.PROJECT, orgId, projectId, currency);
    }

    public static LedgerAccount ofPlatform(Kind kind, String currency) {
        return new LedgerAccount(kind, null, null, currency);
    }
}
