package dev.slipway.catalog.artifact.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** The results of verifying an artifact. */
public record Verification(Instant checkedAt, List<Check> checks) {
    public enum Result implements TextEnum {
        PASSED,
        FAILED,
        NOT_REQUIRED
    }

    /** A single check; the reason is null unless it failed. */
    public record Check(
            String name, Result result, @Nullable String reason) {
        public static Check passed(String name) {
            return new Check(name, Result.PASSED, null);
        }

        public static Check failed(String name, String reason) {
            return new Check(name, Result.FAILED, reason);
        }

        public static Check notRequired(String name) {
            return new Check(name, Result.NOT_REQUIRED, null);
        }
    }

    /** Returns why the verification failed, or null if it passed. A verification without checks fails. */
    public @Nullable String failure() {
        if (checks.isEmpty()) {
            return "nothing was checked";
        }
        return checks.stream()
                .filter(check -> check.result == Result.FAILED)
                .findFirst()
                .map(check -> check.name + ": " + check.reason)
                .orElse(null);
    }
}
