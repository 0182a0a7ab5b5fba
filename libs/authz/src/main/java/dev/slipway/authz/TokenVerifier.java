package dev.slipway.authz;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.contract.SingleLine;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Verifies tokens and resolves the principal that they were issued to. Only RS256 is accepted, and a key is trusted only for tokens of its
 * own issuer.
 *
 * <p>A signature is verified once per token. Everything that can change (expiry of the token and of its key, the principal's state,
 * revocations) is checked on every call.
 */
public final class TokenVerifier {
    public static final String AUDIENCE = "slipway";
    /** The issuer of the tokens that Slipway signs itself. */
    public static final String MACHINE_ISSUER = "slipway";

    /** The longest lifetime of other issuers' tokens, unless set otherwise. */
    public static final Duration USER_TOKEN_MAX_LIFETIME = Duration.ofHours(24);

    private static final Duration CLOCK_SKEW = Duration.ofSeconds(5);
    private static final int MAX_SUBJECT_LENGTH = 512;
    private static final long MAX_CACHE_BYTES = 16L << 20;

    private final AuthzModel model;
    private final String audience;
    private final Duration userTokenMaxLifetime;
    /** True if only tokens that Slipway signed itself are accepted. */
    private final boolean ownTokensOnly;
    /** By digest, so that a heap dump holds no tokens. */
    private final Cache<String, VerifiedToken> verified = Caffeine.newBuilder()
            .maximumWeight(MAX_CACHE_BYTES)
            .weigher((String digest, VerifiedToken token) -> token.weight())
            .expireAfter(Expiry.creating((String digest, VerifiedToken token) -> token.timeToLive()))
            .build();

    private volatile Consumer<KeyReference> unknownKeys = key -> {};

    private record VerifiedToken(
            String kid,
            String issuer,
            String subject,
            @Nullable String displayName,
            UUID id,
            @Nullable UUID credentialId,
            Instant verifiedAt,
            Instant expiresAt,
            Instant notBefore,
            @Nullable Task task,
            @Nullable Set<String> actions) {
        private static final int FIXED_BYTES = 512;
        private static final int BYTES_PER_ACTION = 96;

        /** Estimates the memory of a cache entry, in bytes. */
        int weight() {
            var names = kid.length()
                    + issuer.length()
                    + subject.length()
                    + (displayName == null ? 0 : displayName.length());
            var actionCount = (actions == null ? 0 : actions.size())
                    + (task == null ? 0 : task.actions().size());
            return FIXED_BYTES + 2 * names + BYTES_PER_ACTION * actionCount;
        }

        Duration timeToLive() {
            var rest = Duration.between(verifiedAt, expiresAt.plus(CLOCK_SKEW));
            return rest.isNegative() ? Duration.ZERO : rest;
        }
    }

    /**
     * The subject of a verified token, whether or not a principal is known for it.
     *
     * @param id the id to revoke the token by
     * @param displayName the name that the issuer gives the subject, if any
     */
    public record ExternalIdentity(
            String issuer, String subject, @Nullable String displayName, UUID id, Instant expiresAt) {}

    /** The issuer and the key id that a token names. */
    public record KeyReference(String issuer, String kid) {}

    /** Accepts tokens for {@link #AUDIENCE}. */
    public TokenVerifier(AuthzModel model) {
        this(model, AUDIENCE, USER_TOKEN_MAX_LIFETIME);
    }

    public TokenVerifier(AuthzModel model, String audience, Duration userTokenMaxLifetime) {
        this(model, audience, userTokenMaxLifetime, false);
    }

    private TokenVerifier(AuthzModel model, String audience, Duration userTokenMaxLifetime, boolean ownTokensOnly) {
        this.model = model;
        this.audience = audience;
        this.userTokenMaxLifetime = userTokenMaxLifetime;
        this.ownTokensOnly = ownTokensOnly;
    }

    /** Returns the audience of tokens in records, which others may read: it differs from that of the API, so these tokens open nothing. */
    public static String reportAudience(String audience) {
        return audience + "/reports";
    }

    /** Returns a verifier that accepts the tokens of adapter reports, and no others. */
    public TokenVerifier forReports() {
        return new TokenVerifier(model, reportAudience(audience), userTokenMaxLifetime, true);
    }

    /** Sets the listener for unknown keys. It is called on the caller's thread, also for tokens that nobody signed. */
    public void onUnknownKey(Consumer<KeyReference> listener) {
        unknownKeys = listener;
    }

    /** Returns the principal of a token that is valid at the given time; throws a {@link ProblemException} for any other. */
    public Principal verify(String token, Instant at) {
        var current = requireCurrent(token, at);
        var machine = current.issuer.equals(MACHINE_ISSUER);
        var principal =
                machine ? model.principal(uuid(current.subject)) : model.findPrincipal(current.issuer, current.subject);
        if (principal == null) {
            throw invalid("The token's subject is unknown or inactive.");
        }
        // A person may do what their bindings grant, whatever the issuer writes into scope. A machine's token must
        // list its actions.
        var person = !machine && principal.type() == ActorType.USER;
        return principal.withTask(current.task).withTokenActions(person ? null : current.actions);
    }

    /** Returns the subject of a token that is valid at the given time, also if no principal is known for it. */
    public ExternalIdentity verifyIdentity(String token, Instant at) {
        var current = requireCurrent(token, at);
        return new ExternalIdentity(
                current.issuer, current.subject, current.displayName, current.id, current.expiresAt);
    }

    /** Returns the key that a token names if that key is unknown, otherwise null. Nothing else of the token is checked. */
    public @Nullable KeyReference findUnknownKey(String token) {
        try {
            return unknownKey(ParsedToken.parse(token));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private @Nullable KeyReference unknownKey(ParsedToken token) {
        var kid = token.kid();
        var issuer = token.claim("iss");
        return kid == null || issuer == null || model.key(issuer, kid) != null ? null : new KeyReference(issuer, kid);
    }

    private VerifiedToken requireCurrent(String token, Instant at) {
        var digest = digest(token);
        var current = verified.getIfPresent(digest);
        if (current == null) {
            current = verifySignature(token, at);
            verified.put(digest, current);
        }
        if (at.isAfter(current.expiresAt.plus(CLOCK_SKEW))) {
            throw Problem.of(
                            ErrorCode.TOKEN_EXPIRED,
                            "The token expired at " + current.expiresAt + ". Request a new token.")
                    .asException();
        }
        var key = model.key(current.issuer, current.kid);
        if (key == null || at.isAfter(key.expiresAt())) {
            throw invalid("The key that signed the token is no longer valid. Request a new token.");
        }
        if (at.isBefore(current.notBefore.minus(CLOCK_SKEW))) {
            throw invalid("The token is not valid before " + current.notBefore + ".");
        }
        if (key.revoked()
                || model.isRevoked(current.id)
                || (current.credentialId != null && model.isRevoked(current.credentialId))) {
            throw Problem.of(ErrorCode.TOKEN_REVOKED, "The token was revoked. Request a new one.")
                    .asException();
        }
        return current;
    }

    private VerifiedToken verifySignature(String text, Instant at) {
        try {
            var token = ParsedToken.parse(text);
            var unknown = unknownKey(token);
            if (unknown != null) {
                unknownKeys.accept(unknown);
            }
            var kid = token.kid();
            var issuer = token.claim("iss");
            var key = kid == null || issuer == null ? null : model.key(issuer, kid);
            if (kid == null
                    || key == null
                    || !token.isVerifiable()
                    || !key.verifier().verify(token)) {
                throw invalid("The token is not signed with RS256 by a trusted key of its issuer.");
            }
            var expected = ownTokensOnly || key.audience() == null ? audience : key.audience();
            if (!token.audiences().contains(expected)
                    || (ownTokensOnly && !key.issuer().equals(MACHINE_ISSUER))) {
                throw invalid("The token was issued for another audience than " + expected + ".");
            }
            return verifiedToken(kid, key, token, at);
        } catch (IllegalArgumentException e) {
            throw invalid("The token is not a signed JWT.");
        }
    }

    /** Tasks and credentials are only read from tokens that Slipway signed itself. */
    private VerifiedToken verifiedToken(String kid, TrustedKey key, ParsedToken token, Instant at) {
        var subject = token.claim("sub");
        var jti = token.claim("jti");
        var expiresAt = token.time("exp");
        if (subject == null || jti == null || expiresAt == null) {
            throw invalid("The token lacks sub, exp or jti.");
        }
        var own = key.issuer().equals(MACHINE_ISSUER);
        if (!own) {
            requireStorableSubject(subject);
            requireLifetime(token.time("iat"), expiresAt, at);
        }
        var task = own ? task(token) : null;
        var credentialId = own ? token.claim("credential_id") : null;
        return new VerifiedToken(
                kid,
                key.issuer(),
                subject,
                own || key.nameClaim() == null ? null : token.claim(key.nameClaim()),
                Revocations.revocationId(jti),
                credentialId == null ? null : uuid(credentialId),
                at,
                expiresAt,
                notBefore(token),
                task,
                task == null ? actions(token) : null);
    }

    /** The same limits as for the subject of a user that is created through the API. */
    private static void requireStorableSubject(String subject) {
        if (subject.isEmpty() || subject.length() > MAX_SUBJECT_LENGTH || !SingleLine.matches(subject)) {
            throw invalid("The token's sub must be a single line of 1 to " + MAX_SUBJECT_LENGTH + " characters.");
        }
    }

    /** A token without a past time of issue is measured from now, so that a forward-dated one does not live longer. */
    private void requireLifetime(@Nullable Instant issuedAt, Instant expiresAt, Instant at) {
        var start = issuedAt == null || issuedAt.isAfter(at) ? at : issuedAt;
        if (expiresAt.isAfter(start.plus(userTokenMaxLifetime).plus(CLOCK_SKEW))) {
            throw invalid("The token lives longer than " + userTokenMaxLifetime + ", which is the maximum.");
        }
    }

    private static Instant notBefore(ParsedToken token) {
        var notBefore = token.time("nbf");
        var issuedAt = token.time("iat");
        if (notBefore != null) {
            return notBefore;
        }
        return issuedAt == null ? Instant.EPOCH : issuedAt;
    }

    /** A token with a command is bound to the task of an adapter; other tokens of an operator name its shared runtime as well. */
    private static @Nullable Task task(ParsedToken token) {
        var instance = token.claim("app_instance_id");
        var runtime = token.claim("shared_runtime_id");
        var command = token.claim("command_id");
        if (instance == null && (runtime == null || command == null)) {
            return null;
        }
        if (token.claim("scope") == null) {
            throw invalid("The token is bound to a task and lacks its scope.");
        }
        return new Task(
                uuid(token.claim("adapter_id")),
                instance == null ? Task.SHARED_RUNTIME : Task.APP_INSTANCE,
                uuid(instance == null ? runtime : instance),
                uuid(command),
                actions(token));
    }

    /** A token without a scope allows no action. */
    private static Set<String> actions(ParsedToken token) {
        var scope = token.claim("scope");
        return scope == null || scope.isBlank()
                ? Set.of()
                : Set.copyOf(Arrays.asList(scope.strip().split(" +", -1)));
    }

    private static UUID uuid(@Nullable String text) {
        try {
            return UUID.fromString(String.valueOf(text));
        } catch (IllegalArgumentException e) {
            throw invalid("The token contains an id that is not a UUID.");
        }
    }

    private static String digest(String token) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return new String(digest, StandardCharsets.ISO_8859_1); // one byte per character
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private static ProblemException invalid(String message) {
        return Problem.of(ErrorCode.TOKEN_INVALID, message).asException();
    }
}
