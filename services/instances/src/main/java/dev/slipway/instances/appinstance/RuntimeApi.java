package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Cursor;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.operations.AdapterStore;
import dev.slipway.operations.domain.RegisteredAdapter;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Serves the state of the runtime adapters, and the desired state to the adapters. */
public final class RuntimeApi {
    private final AdapterStore adapters;
    private final DesiredState desired;
    private final DesiredState desiredRuntimes;
    private final Clock clock;

    public RuntimeApi(AdapterStore adapters, DesiredState desired, DesiredState desiredRuntimes, Clock clock) {
        this.adapters = adapters;
        this.desired = desired;
        this.desiredRuntimes = desiredRuntimes;
        this.clock = clock;
    }

    /** Reads what a backend is to run. */
    public interface DesiredState {
        Future<Page<ObjectNode>> list(String backend, @Nullable Cursor after, int limit);
    }

    private record AdapterList(List<AdapterView> items) {}

    /** An adapter in responses. */
    private record AdapterView(
            UUID adapterId,
            String runtimeBackend,
            String displayName,
            ResourceState state,
            boolean alive,
            @Nullable Instant lastSeenAt,
            @Nullable Instant startedAt,
            @Nullable String software,
            @Nullable Integer instances,
            @Nullable Integer waiting) {
        static AdapterView of(RegisteredAdapter adapter, Instant now) {
            return new AdapterView(
                    adapter.id(),
                    adapter.runtimeBackend(),
                    adapter.displayName(),
                    adapter.state(),
                    adapter.isAlive(now),
                    adapter.lastSeenAt(),
                    adapter.startedAt(),
                    adapter.software(),
                    adapter.instances(),
                    adapter.waiting());
        }
    }

    public Future<Reply> listAdapters(Request request) {
        var now = clock.instant();
        return adapters.list()
                .map(all -> Reply.ofRecord(new AdapterList(all.stream()
                        .map(adapter -> AdapterView.of(adapter, now))
                        .toList())));
    }

    /** Returns the desired state of the calling adapter's backend. */
    public Future<Reply> listDesiredState(Request request) {
        return list(request, desired);
    }

    /** Returns the desired shared runtimes of the calling adapter's backend. */
    public Future<Reply> listDesiredSharedRuntimes(Request request) {
        return list(request, desiredRuntimes);
    }

    private Future<Reply> list(Request request, DesiredState state) {
        var cursor = request.cursor(); // rejects an invalid one before anything is read
        return adapters.findBackend(request.principal().id())
                .compose(backend -> state.list(backend, cursor, request.limit()))
                .map(page -> page.toReply(Function.identity()));
    }
}
