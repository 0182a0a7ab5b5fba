package dev.slipway.audit.status.maintenance;

import dev.slipway.audit.status.AffectedOrganizations;
import dev.slipway.audit.status.maintenance.MaintenanceJson.CreateBody;
import dev.slipway.audit.status.maintenance.MaintenanceJson.MaintenanceView;
import dev.slipway.audit.status.maintenance.MaintenanceJson.MoveBody;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.audit.status.maintenance.domain.Maintenance.Status;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Accepted;
import dev.slipway.audit.status.maintenance.domain.MaintenanceDecision.Refused;
import dev.slipway.audit.status.maintenance.domain.MaintenanceLifecycle;
import dev.slipway.audit.status.maintenance.domain.MaintenanceLifecycle.NewMaintenance;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.Mutations;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.util.function.Consumer;

/** Serves maintenance windows to the platform team. */
public final class MaintenanceApi {
    private static final String LOCATION = "/api/v1/platform/status/maintenance/";

    private final MaintenanceStore store;
    private final MaintenanceWriter writer;
    private final Mutations mutations;
    private final AffectedOrganizations organizations;

    public MaintenanceApi(MaintenanceStore store, Mutations mutations, AffectedOrganizations organizations) {
        this.store = store;
        this.writer = new MaintenanceWriter(store);
        this.mutations = mutations;
        this.organizations = organizations;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.cursor(), request.limit() + 1)
                .map(found -> Page.of(found, request.limit(), window -> new Cursor(window.createdAt(), window.id()))
                        .toReply(MaintenanceView::of));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.pathId("maintenance_id")).map(window -> reply(requireFound(window)));
    }

    public Future<Reply> create(Request request) {
        var created = newMaintenance(Json.toRecord(request.body(), CreateBody.class));
        organizations.require(created.orgIds());
        return mutations
                .run(request, unit -> {
                    var decision = MaintenanceLifecycle.schedule(created, unit.now());
                    if (decision instanceof Refused refused) {
                        throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/ends_at", refused.message())
                                .asException();
                    }
                    var window = writer.write(unit, (Accepted) decision, audit(unit, request));
                    return Future.succeededFuture(Reply.ofRecord(MaintenanceView.of(window), LOCATION + window.id()));
                })
                .map(ETags::withETag);
    }

    public Future<Reply> move(Request request) {
        var next = TextEnum.parse(
                Status.class, Json.toRecord(request.body(), MoveBody.class).status());
        return mutations
                .run(request, unit -> store.lock(unit, request.pathId("maintenance_id"))
                        .map(found -> {
                            var window = requireFound(found);
                            ETags.requireMatchIfGiven(request, window.version());
                            var accepted = requireAccepted(MaintenanceLifecycle.move(window, next, unit.now()));
                            return Reply.ofRecord(
                                    MaintenanceView.of(writer.write(unit, accepted, audit(unit, request))));
                        }))
                .map(ETags::withETag);
    }

    private static Accepted requireAccepted(MaintenanceDecision decision) {
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        return (Accepted) decision;
    }

    /** The contract allows leap seconds, Java does not. */
    private static NewMaintenance newMaintenance(CreateBody body) {
        try {
            return body.toNewMaintenance(Ids.next());
        } catch (DateTimeException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/starts_at", "or /ends_at is not a valid time")
                    .asException();
        }
    }

    private static Consumer<AuditEntry> audit(UnitOfWork unit, Request request) {
        return entry -> AuditTrail.recordSuccess(unit, request.principal(), entry);
    }

    private static Reply reply(Maintenance window) {
        return ETags.withETag(Reply.ofRecord(MaintenanceView.of(window)));
    }

    private static Maintenance requireFound(@Nullable Maintenance window) {
        if (window == null) {
            throw Problem.of(ErrorCode.NOT_FOUND, "There is no such maintenance window.")
                    .asException();
        }
        return window;
    }
}
