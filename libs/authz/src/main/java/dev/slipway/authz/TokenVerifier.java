package dev.slipway.authz;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import org.jspecify.annotations.Nullable;

import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Tells who a token speaks for. RS256 only, whatever the token says of itself; a key is trusted for its own issuer's tokens alone.
 *
 * <p>A signature is checked once per token. Everything that can change (its time, the key's, the principal's state, a revocation) is
 * checked every time.
 */
public final class TokenVerifier {
    public static final String AUDIENCE = "slipway";
    /** The issuer of the tokens that Slipway signs itself. */
    public static final String MACHINE_ISSUER = "slipway";

    private static final int MAX_LENGTH = 8_192;
    private static final Duration CLOCK_SKEW = Duration.ofSeconds(5);

    private final AuthzModel model;
    private final String audience;
    private final Cache<String, Signed> signed =
            Caffeine.newBuilder().maximumSize(20_000).build();
    private volatile Consumer<KeyName> unknownKeys = key -> {};

    private record Signed(
            String kid,
            String issuer,
            String subject,
            @Nullable String displayName,
            UUID id,
            @Nullable UUID credentialId,
            Instant expiresAt,
            Instant notBefore,
            @Nullable Task task,
            @Nullable Set<String> actions) {}

    /**
     * Whom a good token names, known here or not.
     *
     * @param id what the token is revoked by
     * @param displayName what the issuer calls the subject, if it does
     */
    public record Subject(
            String issuer, String subject, @Nullable String displayName, UUID id, Instant expiresAt) {}

    /** A key by the names that a token gives it and its issuer. */
    public record KeyName(String issuer, String kid) {}

    /** Takes the tokens of the environment whose audience is {@link #AUDIENCE}. */
    public TokenVerifier(AuthzModel model) {
        this(model, AUDIENCE);
    }

    public TokenVerifier(AuthzModel model, String audience) {
        this.model = model;
        this.audience = audience;
    }

    /** Has someone told of keys that tokens name and that are not known; called on the caller's thread, for any token at all. */
    public void onUnknownKey(Consumer<KeyName> listener) {
        unknownKeys = listener;
    }

    /** The principal of a token that is good at the given time; throws a {@link ProblemException} for any other. */
    public Principal verify(String token, Instant at) {
        var known = current(token, at);
        var machine = known.issuer.equals(MACHINE_ISSUER);
        var found = machine ? model.principal(uuid(known.subject)) : model.principalOf(known.issuer, known.subject);
        if (found == null) {
            throw invalid("The token's subject is not known here, or is not active.");
        }
        // A person's rights are their bindings, whatever their issuer writes; a machine's token has to say what it is
        // for.
        var person = !machine && found.type() == ActorType.USER;
        return found.bound(known.task).narrowed(person ? null : known.actions);
    }

    /** The subject of a token that is good at the given time, also one that is not known here yet. */
    public Subject subject(String token, Instant at) {
        var known = current(token, at);
        return new Subject(known.issuer, known.subject, known.displayName, known.id, known.expiresAt);
    }

    /** The key that a token names, if that is not known here; null for any other token. Nothing else of the token is checked. */
    public @Nullable KeyName unknownKey(String token) {
        try {
            var jwt = SignedJWT.parse(token);
            var kid = jwt.getHeader().getKeyID();
            var issuer = jwt.getJWTClaimsSet().getIssuer();
            return kid == null || issuer == null || model.key(issuer, kid) != null ? null : new KeyName(issuer, kid);
        } catch (ParseException | IllegalArgumentException e) {
            return null;
        }
    }

    private Signed current(String token, Instant at) {
        var known = signed.getIfPresent(token);
        if (known == null) {
            known = checkSignature(token);
            signed.put(token, known);
        }
        if (at.isAfter(known.expiresAt.plus(CLOCK_SKEW))) {
            throw Problem.of(ErrorCode.TOKEN_EXPIRED, "The token expired at " + known.expiresAt + ".")
                    .asException();
        }
        var key = model.key(known.issuer, known.kid);
        if (key == null || at.isAfter(key.expiresAt()) || at.isBefore(known.notBefore.minus(CLOCK_SKEW))) {
            throw invalid("The token is not valid now.");
        }
        if (key.revoked()
                || model.isRevoked(known.id)
                || (known.credentialId != null && model.isRevoked(known.credentialId))) {
            throw Problem.of(ErrorCode.TOKEN_REVOKED, "The token was revoked. Get a new one.")
                    .asException();
        }
        return known;
    }

    private Signed checkSignature(String token) {
        if (token.length() > MAX_LENGTH) {
            throw invalid("The token is too long.");
        }
        try {
            var jwt = SignedJWT.parse(token);
            var header = jwt.getHeader();
            var claims = jwt.getJWTClaimsSet();
            var kid = header.getKeyID();
            var issuer = claims.getIssuer();
            var key = kid == null || issuer == null ? null : model.key(issuer, kid);
            if (key == null && kid != null && issuer != null) {
                unknownKeys.accept(new KeyName(issuer, kid));
            }
            if (!header.getAlgorithm().equals(JWSAlgorithm.RS256) || key == null || !jwt.verify(key.verifier())) {
                throw invalid("The token's signature is not by a key that is trusted here.");
            }
            var expected = key.audience() == null ? audience : key.audience();
            if (!claims.getAudience().contains(expected)) {
                throw invalid("The token is not for this platform.");
            }
            if (claims.getSubject() == null || claims.getExpirationTime() == null || claims.getJWTID() == null) {
                throw invalid("The token lacks sub, exp or jti.");
            }
            return signed(kid, key, claims);
        } catch (ParseException | JOSEException | IllegalArgumentException e) {
            throw invalid("The token is not a signed JWT.");
        }
    }

    /** What a token says of tasks counts only where we have signed it ourselves. */
    private static Signed signed(String kid, SigningKey key, JWTClaimsSet claims) throws ParseException {
        var ours = key.issuer().equals(MACHINE_ISSUER);
        var task = ours ? task(claims) : null;
        var credential = ours ? claims.getStringClaim("credential_id") : null;
        return new Signed(
                kid,
                key.issuer(),
                claims.getSubject(),
                ours || key.nameClaim() == null ? null : text(claims, key.nameClaim()),
                Revocations.idOf(claims.getJWTID()),
                credential == null ? null : uuid(credential),
                claims.getExpirationTime().toInstant(),
                notBefore(claims),
                task,
                task == null ? actions(claims) : null);
    }

    private static @Nullable String text(JWTClaimsSet claims, String name) {
        return claims.getClaim(name) instanceof String text ? text : null;
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
        if (claims.getStringClaim("scope") == null) {
            throw invalid("The token is for a task, and lacks its scope.");
        }
        return new Task(
                uuid(claims.getStringClaim("adapter_id")),
                uuid(instance),
                uuid(claims.getStringClaim("command_id")),
                actions(claims));
    }

    /** A token that names no action is good for none. */
    private static Set<String> actions(JWTClaimsSet claims) {
        var scope = text(claims, "scope");
        return scope == null || scope.isBlank()
                ? Set.of()
                : Set.copyOf(Arrays.asList(scope.strip().split(" +", -1)));
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
