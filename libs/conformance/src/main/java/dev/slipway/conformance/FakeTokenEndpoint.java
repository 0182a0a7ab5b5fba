package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;
import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Issues tokens and validates the tokens of reports. */
final class FakeTokenEndpoint {
    /** The append time is from the broker's clock, the expiry from ours. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

    private static final Duration LIFETIME = Duration.ofMinutes(5);

    private final SecureRandom random = new SecureRandom();
    private final Map<String, IssuedToken> issued = new ConcurrentHashMap<>();
    private final Map<UUID, Deque<Integer>> refusals = new ConcurrentHashMap<>();
    private volatile Duration lifetime = LIFETIME;

    private record IssuedToken(@Nullable UUID command, Instant expiresAt) {}

    record TokenResponse(String value, long seconds) {}

    /** Sets the lifetime of new command tokens; null restores the default. */
    void setLifetime(@Nullable Duration duration) {
        lifetime = duration == null ? LIFETIME : duration;
    }

    /** Rejects the next token requests for the command with these statuses. */
    void rejectNext(UUID command, Integer... statuses) {
        refusals.put(command, new ConcurrentLinkedDeque<>(List.of(statuses)));
    }

    /** Returns the status with which a token request is rejected; null if it is not. */
    @Nullable
    Integer nextRejection(UUID command) {
        var statuses = refusals.get(command);
        return statuses == null ? null : statuses.poll();
    }

    boolean isIssued(String token) {
        return issued.containsKey(token);
    }

    /** Issues a token for a command, or an adapter token if the command is null. */
    TokenResponse issue(@Nullable UUID command) {
        var bytes = new byte[24];
        random.nextBytes(bytes);
        var value = "kit-" + HexFormat.of().formatHex(bytes);
        var life = command == null ? LIFETIME : lifetime;
        issued.put(value, new IssuedToken(command, Instant.now().plus(life)));
        return new TokenResponse(value, life.toSeconds());
    }

    boolean isAdapterToken(@Nullable String authorization) {
        var token = findToken(authorization);
        return token != null && token.command == null && Instant.now().isBefore(token.expiresAt);
    }

    /** Returns the problem of the token of a report; null if valid. */
    @Nullable
    Finding validate(ReceivedReport report, @Nullable UUID command) {
        var clause = command == null ? Clause.ADAPTER_TOKEN : Clause.TASK_TOKEN;
        var what = report.type() + (command == null ? "" : " on command " + command);
        if (report.authorization() == null) {
            return new Finding(clause, what + " has no authorization header");
        }
        var token = findToken(report.authorization());
        if (token == null) {
            return new Finding(clause, what + " has an unknown token");
        }
        if (!java.util.Objects.equals(token.command, command)) {
            var actual = token.command == null ? "the adapter's own token" : "the token of command " + token.command;
            return new Finding(clause, what + " has " + actual);
        }
        return report.appendedAt().isAfter(token.expiresAt.plus(CLOCK_TOLERANCE))
                ? new Finding(
                        Clause.TOKEN_VALIDITY,
                        what + " arrived at " + report.appendedAt() + " with a token that expired at "
                                + token.expiresAt)
                : null;
    }

    private @Nullable IssuedToken findToken(@Nullable String authorization) {
        return authorization != null && authorization.startsWith("Bearer ")
                ? issued.get(authorization.substring("Bearer ".length()))
                : null;
    }
}
