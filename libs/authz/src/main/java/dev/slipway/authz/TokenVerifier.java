package dev.slipway.authz;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import org.jspecify.annotations.Nullable;

import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Set;
import java.util.UUID;

/**
 * Tells who a token speaks for. RS256 only, whatever the token says of itself; the key decides the issuer, not the token.
 *
 * <p>A signature is checked once per token. Everything that can change (its time, the key's, the principal's state) is checked every
 * time.
 */
public final class TokenVerifier {
    public static final String AUDIENCE = "slipway";
    /** The issuer of the tokens that Slipway signs itself, for machines. */
    public static final String MACHINE_ISSUER = "slipway";

    private static final int MAX_LENGTH = 8_192;
    private static final Duration CLOCK_SKEW = Duration.ofSeconds(5);

    private final AuthzModel model;
    private final Cache<String, Signed> signed =
            Caffeine.newBuilder().maximumSize(20_000).build();

    private record Signed(
            String kid,
            String issuer,
            String subject,
            Instant expiresAt,
            Instant notBefore,
            @Nullable Task task) {}

    public TokenVerifier(AuthzModel model) {
        this.model = model;
    }

    /** The principal of a token that is good at the given time; throws a {@link ProblemException} for any other. */
    public Principal verify(String token, Instant at) {
        var known = signed.getIfPresent(token);
        if (known == null) {
            known = checkSignature(token);
            signed.put(token, known);
        }
        if (at.isAfter(known.expiresAt.plus(CLOCK_SKEW))) {
            throw Problem.of(ErrorCode.TOKEN_EXPIRED, "The token expired at " + known.expiresAt + ".")
                    .asException();
        }
        var key = model.key(known.kid);
        if (key == null || at.isAfter(key.expiresAt()) || at.isBefore(known.notBefore.minus(CLOCK_SKEW))) {
            throw invalid("The token is not valid now.");
        }
        return principal(known);
    }

    private Principal principal(Signed token) {
        var machine = token.issuer.equals(MACHINE_ISSUER);
        var found = machine ? model.principal(uuid(token.subject)) : model.principalOf(token.issuer, token.subject);
        if (found == null) {
            throw invalid("The token's subject is not known here, or is not active.");
        }
        return found.bound(token.task);
    }

    private Signed checkSignature(String token) {
        if (token.length() > MAX_LENGTH) {
            throw invalid("The token is too long.");
        }
        try {
            var jwt = SignedJWT.parse(token);
            var header = jwt.getHeader();
            var key = header.getKeyID() == null ? null : model.key(header.getKeyID());
            if (!header.getAlgorithm().equals(JWSAlgorithm.RS256) || key == null || !jwt.verify(key.verifier())) {
                throw invalid("The token's signature is not by a key that is trusted here.");
            }
            var claims = jwt.getJWTClaimsSet();
            if (!key.issuer().equals(claims.getIssuer())
                    || !claims.getAudience().contains(AUDIENCE)) {
                throw invalid("The token is not by its key's issuer, or not for this platform.");
            }
            if (claims.getSubject() == null || claims.getExpirationTime() == null || claims.getJWTID() == null) {
                throw invalid("The token lacks sub, exp or jti.");
            }
            return new Signed(
                    header.getKeyID(),
                    key.issuer(),
                    claims.getSubject(),
                    claims.getExpirationTime().toInstant(),
                    notBefore(claims),
                    key.issuer().equals(MACHINE_ISSUER) ? task(claims) : null);
        } catch (ParseException | JOSEException | IllegalArgumentException e) {
            throw invalid("The token is not a signed JWT.");
        }
    }

    private static Instant notBefore(JWTClaimsSet claims) {
        Date time = claims.getNotBeforeTime() != null ? claims.getNotBeforeTime() : claims.getIssueTime();
        return time == null ? Instant.EPOCH : time.toInstant();
    }

    private static @Nullable Task task(JWTClaimsSet claims) throws ParseException {
        var instance = claims.getStringClaim("app_instance_id");
        if (instance == null) {
            return null;
        }
        var scope = claims.getStringClaim("scope");
        if (scope == null) {
            throw invalid("The token is for a task, and lacks its scope.");
        }
        return new Task(
                uuid(claims.getStringClaim("adapter_id")),
                uuid(instance),
                uuid(claims.getStringClaim("command_id")),
                Set.of(scope.split(" ", -1)));
    }

    private static UUID uuid(@Nullable String text) {
        try {
            return UUID.fromString(String.valueOf(text));
        } catch (IllegalArgumentException e) {
            throw invalid("The token names something that is not an id.");
        }
    }

    private static ProblemException invalid(String message) {
        return Problem.of(ErrorCode.TOKEN_INVALID, message).asException();
    }
}
