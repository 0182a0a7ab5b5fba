package dev.slipway.iam.tenancy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/** Runs a change of what decisions rest on: behind the revision's lock, audited with before and after, answered with its revision. */
public final class Changes {
    private final Mutations mutations;
    private final Outbox outbox;
    private final RevisionStore revisions;

    public Changes(Mutations mutations, Outbox outbox, RevisionStore revisions) {
        this.mutations = mutations;
        this.outbox = outbox;
        this.revisions = revisions;
    }

    /** What is done in the transaction; it announces what it changed. */
    @FunctionalInterface
    public interface Change {
        Future<Changed> apply(UnitOfWork unit, AuthzRecords records);
    }

    /** What became of what: the answer is {@code after}. */
    public record Changed(
            Place place,
            String targetType,
            String targetId,
            @Nullable ObjectNode before,
            ObjectNode after,
            @Nullable String location) {

        Entry entry(String action) {
            var metadata = Json.object();
            metadata.set("before", before);
            metadata.set("after", after);
            return new Entry(action, targetType, targetId, place.orgId(), place.projectId(), metadata);
        }
    }

    /** The place that the path names, for which the call was authorized. */
    public static Place placeOf(Request request) {
        var path = request.call().path();
        if (path.containsKey("project_id")) {
            return Place.project(
                    Objects.requireNonNull(request.orgId(), "a project without organization"), request.projectId());
        }
        return path.containsKey("org_id") ? Place.organization(request.pathId("org_id")) : Place.PLATFORM;
    }

    public Future<Reply> run(Request request, String action, Change change) {
        return mutations
                .run(
                        request,
                        unit -> AuthzRecords.raised(unit, records -> change.apply(unit, records)
                                .map(changed -> done(request, action, unit, records, changed))))
                .compose(revisions::told)
                .recover(failure -> AuditTrail.refuseExcess(outbox, request, action, failure));
    }

    private static Reply done(Request request, String action, UnitOfWork unit, AuthzRecords records, Changed changed) {
        AuditTrail.success(unit, request.principal(), changed.entry(action));
        return Reply.of(changed.after(), changed.location())
                .at(records.revision().number());
    }
}
