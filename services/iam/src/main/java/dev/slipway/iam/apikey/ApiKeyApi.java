package dev.slipway.iam.apikey;

import dev.slipway.authz.Authorizer;
import dev.slipway.authz.Principal;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.ResourceScope;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.iam.credential.domain.Credential;
import dev.slipway.iam.credential.domain.CredentialExpiry;
import dev.slipway.iam.credential.domain.CredentialOwner;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** The API operations of users on their own API keys. */
public final class ApiKeyApi {
    private static final Duration MAX_LIFETIME = Duration.ofDays(366);

    private final ApiKeyStore store;
    private final Credentials credentials;
    private final Mutations mutations;
    private final Authorizer authorizer;
    private final Clock clock;

    /** The credential of an API key. */
    public record Credentials(Supplier<String> generateSecret, Insert insert, Revoke revoke) {}

    @FunctionalInterface
    public interface Insert {
        void insert(UnitOfWork unit, CredentialOwner owner, UUID id, String secret, Instant expiresAt);
    }

    @FunctionalInterface
    public interface Revoke {
        Future<Credential> revoke(UnitOfWork unit, UUID ownerId, UUID id);
    }

    private record CreateApiKey(
            String name, List<String> actions, @Nullable String expiresAt) {}

    public ApiKeyApi(
            ApiKeyStore store, Credentials credentials, Mutations mutations, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.credentials = credentials;
        this.mutations = mutations;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    public Future<Reply> create(Request request) {
        return Future.succeededFuture(request)
                .compose(this::createKey)
                .recover(e -> Future.failedFuture(AuditTrail.denyExcessiveGrant(request, "iam.api_key.create", e)));
    }

    public Future<Reply> list(Request request) {
        return store.list(requireUser(request).id()).map(keys -> ItemList.reply(keys, Function.identity()));
    }

    public Future<Reply> revoke(Request request) {
        var id = request.pathId("api_key_id");
        return mutations.run(request, unit -> {
            var userId = requireUser(request).id();
            return credentials
                    .revoke
                    .revoke(unit, userId, id)
                    .compose(revoked -> ApiKeyStore.load(unit, userId, id))
                    .map(key -> {
                        audit(request, unit, id, "revoke");
                        return Reply.ofRecord(key);
                    });
        });
    }

    private Future<Reply> createKey(Request request) {
        var caller = requireUser(request);
        var body = Json.toRecord(request.body(), CreateApiKey.class);
        requireHeld(caller, body.actions());
        var secret = credentials.generateSecret.get();
        var now = clock.instant().truncatedTo(ChronoUnit.MICROS);
        var expiresAt = requireExpiry(body.expiresAt(), now);
        var key = new ApiKey(Ids.next(), body.name(), body.actions(), now, expiresAt, null, null);
        return mutations
                .run(request, unit -> requireBelowLimit(unit, caller.id()).map(ok -> {
                    var owner = new CredentialOwner(CredentialOwner.Kind.API_KEY, caller.id(), null, null);
                    credentials.insert.insert(unit, owner, key.apiKeyId(), secret, expiresAt);
                    ApiKeyStore.insert(unit, caller.id(), key);
                    audit(request, unit, key.apiKeyId(), "create");
                    return Reply.ofRecord(key);
                }))
                .map(reply -> reply.withSecret("api_key_id", key.apiKeyId(), secret));
    }

    private static Future<Void> requireBelowLimit(UnitOfWork unit, UUID userId) {
        return ApiKeyStore.countActive(unit, userId).map(count -> {
            if (count >= ApiKey.MAX_ACTIVE) {
                throw Problem.of(
                                ErrorCode.CREDENTIAL_LIMIT,
                                "There are already " + ApiKey.MAX_ACTIVE
                                        + " active API keys, which is the limit. Revoke one first.")
                        .asException();
            }
            return null;
        });
    }

    /** A key can have no action that its owner, or the token that creates it, does not have. */
    private void requireHeld(Principal caller, List<String> actions) {
        for (var action : actions) {
            if (!authorizer
                    .decide(caller, action, ResourceScope.anywhere(), clock.instant())
                    .allowed()) {
                throw Problem.of(
                                ErrorCode.GRANT_EXCEEDS_OWN,
                                "Your API key cannot have " + action + " because you do not hold it anywhere.")
                        .asException();
            }
        }
    }

    private static Instant requireExpiry(@Nullable String text, Instant now) {
        Instant expiresAt = null;
        try {
            expiresAt = CredentialExpiry.parse(text, now);
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        if (expiresAt == null) {
            throw invalidExpiry("is not a time in the future");
        }
        if (expiresAt.isAfter(now.plus(MAX_LIFETIME))) {
            throw invalidExpiry("is more than a year ahead");
        }
        return expiresAt;
    }

    private static ProblemException invalidExpiry(String problem) {
        return Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/expires_at", problem)
                .asException();
    }

    private static Principal requireUser(Request request) {
        if (request.principal().type() != ActorType.USER) {
            throw Problem.of(
                            ErrorCode.INSUFFICIENT_PERMISSIONS,
                            "Only users have API keys. Create a credential for a service account instead.")
                    .asException();
        }
        return request.principal();
    }

    private static void audit(Request request, UnitOfWork unit, UUID id, String verb) {
        var entry = new AuditEntry("iam.api_key." + verb, "api_key", id.toString(), null, null, Json.object());
        AuditTrail.recordSuccess(unit, request.principal(), entry);
    }
}
