package dev.slipway.conformance;

import dev.slipway.conformance.Clause.Finding;
import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Gives tokens out, and knows of each what it is good for. */
final class TokenDesk {
    /** The broker's clock says when a report came in, ours when a token ended. */
    private static final Duration CLOCKS = Duration.ofSeconds(1);

    private static final Duration LIFETIME = Duration.ofMinutes(5);

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Issued> issued = new ConcurrentHashMap<>();
    private final Map<UUID, Integer> refusals = new ConcurrentHashMap<>();
    private volatile Duration lifetime = LIFETIME;

    private record Issued(@Nullable UUID command, Instant expiresAt) {}

    record Token(String value, long seconds) {}

    /** From now on the tokens of tasks live so long; null is as usual. */
    void lifetime(@Nullable Duration of) {
        lifetime = of == null ? LIFETIME : of;
    }

    /** The next exchanges for the command find the desk closed. */
    void refuse(UUID command, int times) {
        refusals.put(command, times);
    }

    boolean isClosedTo(UUID command) {
        var left = refusals.merge(command, -1, Integer::sum);
        return left >= 0;
    }

    /** For a task, or the adapter's own where there is none. */
    Token issue(@Nullable UUID command) {
        var bytes = new byte[24];
        random.nextBytes(bytes);
        var value = "kit-" + HexFormat.of().formatHex(bytes);
        var life = command == null ? LIFETIME : lifetime;
        issued.put(value, new Issued(command, Instant.now().plus(life)));
        return new Token(value, life.toSeconds());
    }

    boolean isOwn(@Nullable String authorization) {
        var token = token(authorization);
        return token != null && token.command == null && Instant.now().isBefore(token.expiresAt);
    }

    /** What is wrong with the token that a report on the command came with. */
    @Nullable
    Finding faultOf(Report report, @Nullable UUID command) {
        var clause = command == null ? Clause.OWN_TOKEN : Clause.TASK_TOKEN;
        var what = report.type() + (command == null ? "" : " on command " + command);
        if (report.authorization() == null) {
            return new Finding(clause, what + " came without an authorization header");
        }
        var token = token(report.authorization());
        if (token == null) {
            return new Finding(clause, what + " came with a token that nobody issued");
        }
        if (!java.util.Objects.equals(token.command, command)) {
            var whose = token.command == null ? "the adapter's own token" : "the token of command " + token.command;
            return new Finding(clause, what + " came with " + whose);
        }
        return report.appendedAt().isAfter(token.expiresAt.plus(CLOCKS))
                ? new Finding(
                        Clause.TOKEN_IN_TIME,
                        what + " came at " + report.appendedAt() + " with a token that had ended at " + token.expiresAt)
                : null;
    }

    private @Nullable Issued token(@Nullable String authorization) {
        return authorization != null && authorization.startsWith("Bearer ")
                ? issued.get(authorization.substring("Bearer ".length()))
                : null;
    }
}
