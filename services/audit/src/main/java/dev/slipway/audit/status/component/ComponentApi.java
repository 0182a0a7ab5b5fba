package dev.slipway.audit.status.component;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.slipway.audit.status.component.ComponentStore.ComponentSettings;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.ETags;
import dev.slipway.service.ItemList;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Serves the components of the platform and their settings. */
public final class ComponentApi {
    private static final String ACTION = "status.component.write";

    private final ComponentStore store;
    private final Mutations mutations;
    private final Clock clock;
    private final Duration timeout;

    private record SettingsBody(
            String displayName, @JsonProperty("public") boolean isPublic) {}

    private record SettingsResponse(
            String componentId,
            String displayName,
            @JsonProperty("public") boolean isPublic,
            long version) {}

    /**
     * Creates the API.
     *
     * @param timeout a process that is silent for longer is unknown
     */
    public ComponentApi(ComponentStore store, Mutations mutations, Clock clock, Duration timeout) {
        this.store = store;
        this.mutations = mutations;
        this.clock = clock;
        this.timeout = timeout;
    }

    public Future<Reply> list(Request request) {
        return views().map(views -> ItemList.reply(views, Function.identity()));
    }

    /** Returns all components in the order of their ids. */
    public Future<List<ComponentView>> views() {
        return Future.all(store.listReports(), store.listSettings())
                .map(found -> ComponentView.of(found.resultAt(0), found.resultAt(1), clock.instant(), timeout));
    }

    public Future<Reply> put(Request request) {
        var componentId = request.path("component_id");
        var body = Json.toRecord(request.body(), SettingsBody.class);
        return mutations
                .run(request, unit -> store.lockSettings(unit, componentId).map(stored -> {
                    var version = stored == null ? 0 : stored.version();
                    ETags.requireMatchIfGiven(request, version);
                    var next = new ComponentSettings(componentId, body.displayName, body.isPublic, version + 1);
                    store.upsertSettings(unit, next);
                    audit(unit, request, next);
                    return Reply.ofRecord(response(next));
                }))
                .map(ETags::withETag);
    }

    private static void audit(UnitOfWork unit, Request request, ComponentSettings settings) {
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        ACTION,
                        "status_component",
                        settings.componentId(),
                        null,
                        null,
                        Json.toObject(response(settings))));
    }

    private static SettingsResponse response(ComponentSettings settings) {
        return new SettingsResponse(
                settings.componentId(), settings.displayName(), settings.isPublic(), settings.version());
    }
}
