package dev.slipway.audit.status;

import dev.slipway.audit.status.component.ComponentApi;
import dev.slipway.audit.status.component.ComponentView;
import dev.slipway.audit.status.incident.IncidentStore;
import dev.slipway.audit.status.incident.IncidentStore.IncidentUpdate;
import dev.slipway.audit.status.incident.domain.Incident;
import dev.slipway.audit.status.maintenance.MaintenanceStore;
import dev.slipway.audit.status.maintenance.domain.Maintenance;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Serves the public status, and that of an organization. */
public final class StatusPageApi {
    private static final Duration INCIDENT_AGE = Duration.ofDays(30);
    private static final int MAX_ENTRIES = 50;
    /** Everyone may read the public status, so the database is read at most once a second for it. */
    private static final long CACHE_NANOS = 1_000_000_000L;

    private final ComponentApi components;
    private final IncidentStore incidents;
    private final MaintenanceStore maintenance;
    private final Clock clock;
    private @Nullable Reply cached;
    private long cachedAtNanos;

    public StatusPageApi(ComponentApi components, IncidentStore incidents, MaintenanceStore maintenance, Clock clock) {
        this.components = components;
        this.incidents = incidents;
        this.maintenance = maintenance;
        this.clock = clock;
    }

    /** Runs on one event loop, like all handlers that are not registered on every loop. */
    public Future<Reply> getPublic(Request request) {
        var last = cached;
        if (last != null && System.nanoTime() - cachedAtNanos < CACHE_NANOS) {
            return Future.succeededFuture(last);
        }
        return load(null).onSuccess(reply -> {
            cached = reply;
            cachedAtNanos = System.nanoTime();
        });
    }

    public Future<Reply> getOfOrganization(Request request) {
        return load(request.orgId());
    }

    private Future<Reply> load(@Nullable UUID orgId) {
        var now = clock.instant();
        var visible = incidents.listVisible(orgId, now.minus(INCIDENT_AGE), MAX_ENTRIES);
        return Future.all(
                        components.views(),
                        visible,
                        visible.compose(found -> incidents.listUpdates(
                                found.stream().map(Incident::id).toList())),
                        maintenance.listVisible(orgId, MAX_ENTRIES))
                .map(found -> StatusPage.of(
                        orgId,
                        found.<List<ComponentView>>resultAt(0),
                        found.<List<Incident>>resultAt(1),
                        found.<Map<UUID, List<IncidentUpdate>>>resultAt(2),
                        found.<List<Maintenance>>resultAt(3),
                        now))
                .map(page -> Reply.ofRecord(page).withETag(page.etag()));
    }
}
