package dev.slipway.instances.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.runtime.AdapterStore.Adapter;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.function.Function;

/** What adapters ask, and what is known of them. */
public final class RuntimeApi {
    private final AdapterStore adapters;
    private final DesiredStateStore desired;
    private final Clock clock;

    public RuntimeApi(AdapterStore adapters, DesiredStateStore desired, Clock clock) {
        this.adapters = adapters;
        this.desired = desired;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        return adapters.list().map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            all.forEach(adapter -> items.add(json(adapter)));
            return Reply.of(body);
        });
    }

    /** The caller is an adapter, and is told of its own backend alone. */
    public Future<Reply> desiredState(Request request) {
        return adapters.backendOf(request.principal().id())
                .compose(backend -> desired.list(backend, request.cursor(), request.limit()))
                .map(page -> page.reply(Function.identity()));
    }

    private ObjectNode json(Adapter adapter) {
        return Json.object()
                .put("adapter_id", adapter.id().toString())
                .put("runtime_backend", adapter.runtimeBackend())
                .put("display_name", adapter.displayName())
                .put("state", adapter.state())
                .put("alive", adapter.isAlive(clock.instant()))
                .put("last_seen_at", text(adapter.lastSeenAt()))
                .put("started_at", text(adapter.startedAt()))
                .put("software", adapter.software())
                .put("instances", adapter.instances())
                .put("waiting", adapter.waiting());
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
