package dev.slipway.audit.status.incident;

import dev.slipway.audit.status.incident.AlertmanagerJson.NotificationBody;
import dev.slipway.audit.status.incident.IncidentWriter.Note;
import dev.slipway.audit.status.incident.domain.Alert;
import dev.slipway.audit.status.incident.domain.AlertGroup;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.incident.domain.Incident.Status;
import dev.slipway.audit.status.incident.domain.IncidentDecision;
import dev.slipway.audit.status.incident.domain.IncidentLifecycle;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditResult;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

/** Opens, updates and resolves incidents from the notifications of Alertmanager. */
public final class AlertmanagerApi {
    private static final String ACTION = "status.alert.receive";
    private static final String AUTHOR = "Alertmanager";

    private final IncidentStore store;
    private final IncidentWriter writer;
    private final Mutations mutations;
    private final Predicate<UUID> isOrganization;
    private final byte @Nullable [] secretHash;

    private record Receipt(
            @Nullable UUID incidentId, @Nullable Status status) {
        static Reply of(@Nullable Incident incident) {
            return Reply.ofRecord(
                    incident == null ? new Receipt(null, null) : new Receipt(incident.id(), incident.status()));
        }
    }

    /**
     * Creates the API.
     *
     * @param secret the bearer token of notifications; null rejects all of them
     */
    public AlertmanagerApi(
            IncidentStore store, Mutations mutations, Predicate<UUID> isOrganization, @Nullable String secret) {
        this.store = store;
        this.writer = new IncidentWriter(store);
        this.mutations = mutations;
        this.isOrganization = isOrganization;
        this.secretHash = secret == null ? null : hash(secret);
    }

    public Future<Reply> receive(Request request) {
        requireSecret(request);
        var body = Json.toRecord(request.body(), NotificationBody.class);
        var notified = alerts(body);
        return mutations.run(request, unit -> store.lockOfGroup(unit, body.groupKey())
                .compose(incident -> incident == null
                        ? Future.succeededFuture(open(unit, body, notified))
                        : update(unit, body, notified, incident))
                .map(Receipt::of));
    }

    private @Nullable Incident open(UnitOfWork unit, NotificationBody body, List<Alert> notified) {
        var group = AlertGroup.of(List.of()).merge(notified, body.isResolved(), unit.now());
        if (group.isResolved()) {
            return null;
        }
        var opened = IncidentLifecycle.open(body.toNewIncident(Ids.next(), isOrganization), unit.now());
        return write(unit, opened, group);
    }

    private Future<Incident> update(UnitOfWork unit, NotificationBody body, List<Alert> notified, Incident incident) {
        return store.listAlerts(unit, incident.id()).map(stored -> {
            var before = AlertGroup.of(stored);
            var group = before.merge(notified, body.isResolved(), unit.now());
            if (group.hasSameStates(before)) {
                return incident;
            }
            var decision = group.isResolved()
                    ? IncidentLifecycle.move(incident, Status.RESOLVED, unit.now())
                    : IncidentLifecycle.annotate(incident, unit.now());
            return write(unit, decision, group);
        });
    }

    private Incident write(UnitOfWork unit, IncidentDecision decision, AlertGroup group) {
        var message = group.firing() + " of " + group.alerts().size() + " alerts are firing.";
        var incident = writer.write(
                unit,
                decision,
                new Note(message, false, AUTHOR),
                ACTION,
                entry -> AuditTrail.recordSystemAction(unit, "system", AUTHOR, null, entry, AuditResult.SUCCESS, null));
        group.alerts().values().forEach(alert -> store.upsertAlert(unit, incident.id(), alert));
        return incident;
    }

    /** The contract allows leap seconds, Java does not. */
    private static List<Alert> alerts(NotificationBody body) {
        try {
            return body.toAlerts();
        } catch (DateTimeException e) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/alerts", "has a time that does not exist")
                    .asException();
        }
    }

    /** Compares hashes in constant time, so that the response time reveals neither the secret nor its length. */
    private void requireSecret(Request request) {
        var given = request.call().token();
        if (secretHash == null || given == null || !MessageDigest.isEqual(secretHash, hash(given))) {
            throw Problem.of(
                            ErrorCode.CREDENTIAL_INVALID,
                            "Send the secret of SLIPWAY_ALERTMANAGER_SECRET in the header Authorization: Bearer <secret>.")
                    .asException();
        }
    }

    private static byte[] hash(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }
}
