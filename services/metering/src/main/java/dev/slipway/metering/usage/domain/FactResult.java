package dev.slipway.metering.usage.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;

/**
 * The result of reporting one fact.
 *
 * @param period the month in which an accepted fact is booked
 * @param field the field of a rejected fact that has the problem
 * @param storedHash the hash of the stored body; it differs from {@code receivedHash} in a conflict
 * @param isUnknown whether a rejected fact names a resource or unit that may not be replicated yet
 */
public record FactResult(
        String source,
        String factId,
        Outcome outcome,
        @Nullable LocalDate period,
        @Nullable String field,
        @Nullable String problem,
        @Nullable String receivedHash,
        @Nullable String storedHash,
        boolean isUnknown) {

    /** The outcomes of a report. */
    public enum Outcome implements TextEnum {
        /** Counted now. */
        ACCEPTED,
        /** Counted before, with the same body. */
        DUPLICATE,
        /** Not counted: the id exists with another body. */
        CONFLICT,
        /** Not counted: invalid. */
        REJECTED
    }

    public static FactResult accepted(AttributedFact fact) {
        return new FactResult(
                fact.key().source(),
                fact.key().factId(),
                Outcome.ACCEPTED,
                fact.period(),
                null,
                null,
                fact.bodyHash(),
                null,
                false);
    }

    public static FactResult rejected(FactKey key, String field, String problem) {
        return rejected(key, new FactDecision.Rejected(field, problem));
    }

    public static FactResult rejected(FactKey key, FactDecision.Rejected decision) {
        return new FactResult(
                key.source(),
                key.factId(),
                Outcome.REJECTED,
                null,
                decision.field(),
                decision.problem(),
                null,
                null,
                decision.isUnknown());
    }

    /** Returns a duplicate or a conflict, depending on the hashes. */
    public static FactResult repeated(FactKey key, String receivedHash, String storedHash) {
        var same = receivedHash.equals(storedHash);
        return new FactResult(
                key.source(),
                key.factId(),
                same ? Outcome.DUPLICATE : Outcome.CONFLICT,
                null,
                null,
                same ? null : "a fact with this id and another body exists",
                receivedHash,
                storedHash,
                false);
    }
}
