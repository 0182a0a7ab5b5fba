package dev.slipway.iam.tenancy;

import dev.slipway.contract.Json;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/** Runs changes of authorization data: each in one new revision, audited with the state before and after, answered with its revision. */
public final class AuthzMutation {
    private final Mutations mutations;
    private final Function<UnitOfWork, Future<Revision>> beginRevision;
    private final Function<Reply, Future<Reply>> withCurrentRevision;

    public AuthzMutation(
            Mutations mutations,
            Function<UnitOfWork, Future<Revision>> beginRevision,
            Function<Reply, Future<Reply>> withCurrentRevision) {
        this.mutations = mutations;
        this.beginRevision = beginRevision;
        this.withCurrentRevision = withCurrentRevision;
    }

    /** The work in the transaction; it publishes what it changes. */
    @FunctionalInterface
    public interface Work {
        Future<Result> apply(UnitOfWork unit, AuthzPublisher publisher);
    }

    /**
     * The result of a change.
     *
     * @param before the JSON of the resource before the change; null if it was created
     * @param after the JSON of the resource after the change, which is also the reply
     */
    public record Result(
            BindingScope scope,
            String targetType,
            String targetId,
            @Nullable Object before,
            Object after,
            @Nullable String location) {

        private AuditEntry entry(String action) {
            var metadata = Json.toObject(new AuditMetadata(before, after));
            return new AuditEntry(action, targetType, targetId, scope.orgId(), scope.projectId(), metadata);
        }
    }

    private record AuditMetadata(@Nullable Object before, Object after) {}

    /** Returns the scope that the path names, for which the call was authorized. */
    public static BindingScope scopeOf(Request request) {
        var path = request.call().path();
        if (path.containsKey("project_id")) {
            return BindingScope.project(
                    Objects.requireNonNull(request.orgId(), "a project without organization"), request.projectId());
        }
        return path.containsKey("org_id") ? BindingScope.organization(request.pathId("org_id")) : BindingScope.PLATFORM;
    }

    public Future<Reply> run(Request request, String action, Work work) {
        return mutations
                .run(request, unit -> beginRevision.apply(unit).compose(revision -> work.apply(
                                unit, new AuthzPublisher(revision))
                        .map(result -> auditAndReply(request, action, unit, revision, result))))
                .compose(withCurrentRevision)
                .recover(failure -> Future.failedFuture(AuditTrail.denyExcessiveGrant(request, action, failure)));
    }

    private static Reply auditAndReply(
            Request request, String action, UnitOfWork unit, Revision revision, Result result) {
        AuditTrail.recordSuccess(unit, request.principal(), result.entry(action));
        return Reply.ofRecord(result.after, result.location).withRevision(revision.number());
    }
}
