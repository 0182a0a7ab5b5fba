package dev.slipway.service.consistency;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The payloads of the events of consistency checks. */
public final class ConsistencyJson {
    public static final String CLAIMS_STATED = "consistency.claims.stated";
    public static final String CHECK_COMPLETED = "consistency.check.completed";

    private ConsistencyJson() {}

    /** A difference that a check found. */
    public record Difference(String key, String difference) {}

    /**
     * The result of a complete pass.
     *
     * @param differences the number of differences; {@code examples} has the first ten
     */
    public record CheckCompleted(
            String service,
            String check,
            String description,
            Instant startedAt,
            Instant completedAt,
            long checked,
            long differences,
            List<Difference> examples) {}

    record Claim(String key, String value) {}

    /**
     * A slice of a claim.
     *
     * @param slice the number of the slice in its pass, from 0
     */
    record ClaimsStated(String claim, UUID passId, Instant startedAt, int slice, boolean last, List<Claim> claims) {}
}
