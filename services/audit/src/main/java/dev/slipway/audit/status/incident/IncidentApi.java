package dev.slipway.audit.status.incident;

import dev.slipway.audit.status.AffectedOrganizations;
import dev.slipway.audit.status.incident.IncidentJson.ChangeBody;
import dev.slipway.audit.status.incident.IncidentJson.CreateBody;
import dev.slipway.audit.status.incident.IncidentJson.IncidentView;
import dev.slipway.audit.status.incident.IncidentJson.UpdateBody;
import dev.slipway.audit.status.incident.IncidentStore.IncidentUpdate;
import dev.slipway.audit.status.incident.IncidentWriter.Note;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.audit.status.incident.domain.IncidentDecision;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle;
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

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/** Serves incidents to the platform team. */
public final class IncidentApi {
    private static final String ACTION = "status.incident.write";
    private static final String LOCATION = "/api/v1/platform/status/incidents/";

    private final IncidentStore store;
    private final IncidentWriter writer;
    private final Mutations mutations;
    private final AffectedOrganizations organizations;

    public IncidentApi(IncidentStore store, Mutations mutations, AffectedOrganizations organizations) {
        this.store = store;
        this.writer = new IncidentWriter(store);
        this.mutations = mutations;
        this.organizations = organizations;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.query("status"), request.cursor(), request.limit() + 1)
                .map(found -> Page.of(
                                found, request.limit(), incident -> new Cursor(incident.openedAt(), incident.id()))
                        .toReply(incident -> IncidentView.of(incident, List.of(), List.of())));
    }

    public Future<Reply> get(Request request) {
        var id = request.pathId("incident_id");
        return Future.all(store.find(id), store.listUpdates(List.of(id)), store.listAlerts(id))
                .map(found -> IncidentView.of(
                        requireFound(found.resultAt(0)),
                        found.<Map<UUID, List<IncidentUpdate>>>resultAt(1).getOrDefault(id, List.of()),
                        found.resultAt(2)))
                .map(view -> ETags.withETag(Reply.ofRecord(view)));
    }

    public Future<Reply> create(Request request) {
        var body = Json.toRecord(request.body(), CreateBody.class);
        organizations.require(body.orgIds());
        return mutations
                .run(request, unit -> {
                    var opened = IncidentLifecycle.open(body.toNewIncident(Ids.next()), unit.now());
                    var incident = writer.write(unit, opened, null, ACTION, audit(unit, request));
                    var view = IncidentView.of(incident, List.of(), List.of());
                    return Future.succeededFuture(Reply.ofRecord(view, LOCATION + incident.id()));
                })
                .map(ETags::withETag);
    }

    public Future<Reply> change(Request request) {
        var body = Json.toRecord(request.body(), ChangeBody.class);
        organizations.require(body.orgIds());
        return decide(
                request, null, (incident, unit) -> IncidentLifecycle.change(incident, body.toChanges(), unit.now()));
    }

    public Future<Reply> addUpdate(Request request) {
        var body = Json.toRecord(request.body(), UpdateBody.class);
        var note = new Note(
                body.message(),
                body.isPublic() == null || body.isPublic(),
                request.principal().displayName());
        var status = body.status();
        return decide(
                request,
                note,
                (incident, unit) -> status == null
                        ? IncidentLifecycle.annotate(incident, unit.now())
                        : IncidentLifecycle.move(incident, TextEnum.parse(Status.class, status), unit.now()));
    }

    private interface Command {
        IncidentDecision apply(Incident incident, UnitOfWork unit);
    }

    private Future<Reply> decide(Request request, @Nullable Note note, Command command) {
        var id = request.pathId("incident_id");
        return mutations
                .run(request, unit -> store.lock(unit, id).compose(found -> {
                    var incident = requireFound(found);
                    ETags.requireMatchIfGiven(request, incident.version());
                    var next = writer.write(unit, command.apply(incident, unit), note, ACTION, audit(unit, request));
                    return view(unit, next);
                }))
                .map(ETags::withETag);
    }

    private Future<Reply> view(UnitOfWork unit, Incident incident) {
        return store.listUpdates(unit, List.of(incident.id())).compose(updates -> store.listAlerts(unit, incident.id())
                .map(alerts -> Reply.ofRecord(
                        IncidentView.of(incident, updates.getOrDefault(incident.id(), List.of()), alerts))));
    }

    private static Consumer<AuditEntry> audit(UnitOfWork unit, Request request) {
        return entry -> AuditTrail.recordSuccess(unit, request.principal(), entry);
    }

    private static Incident requireFound(@Nullable Incident incident) {
        if (incident == null) {
            throw Problem.of(ErrorCode.NOT_FOUND, "There is no such incident.").asException();
        }
        return incident;
    }
}
