package dev.slipway.instances.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** What happened to an instance: at a past time, in order, and as it happens. */
public final class HistoryApi {
    private static final int MOST_AT_ONCE = 100;

    private final TimelineStore store;
    private final Watchers watchers;

    public HistoryApi(TimelineStore store, Watchers watchers) {
        this.store = store;
        this.watchers = watchers;
    }

    /** The instance at a past time. */
    public Future<Reply> at(Request request) {
        var time = Times.parse("at", Objects.requireNonNull(request.query("at")));
        // The database knows no time beyond its own range; nothing was here that early, and nothing changes after now.
        var known = time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
        return store.at(request.projectId(), request.pathId("app_instance_id"), known)
                .map(state -> Reply.of(HistoryJson.instance(state)));
    }

    public Future<Reply> timeline(Request request) {
        return store.page(request.projectId(), request.pathId("app_instance_id"), request.cursor(), request.limit())
                .map(page -> page.reply(HistoryJson::entry));
    }

    /** The next part of a stream. The first is answered at once; the others may wait for something to tell. */
    public Future<Reply> watch(Request request) {
        var projectId = request.projectId();
        var id = request.pathId("app_instance_id");
        if (request.call().continuesStream()) {
            var after = Long.parseLong(Objects.requireNonNull(request.query(Call.STREAM_POSITION)));
            return following(request, id, after);
        }
        var seen = request.call().headers().get("last-event-id");
        return store.last(projectId, id).compose(last -> {
            var after = seen == null ? Long.MAX_VALUE : Long.parseLong(seen);
            return after > last ? snapshot(projectId, id) : eventsAfter(projectId, id, after);
        });
    }

    private Future<Reply> snapshot(UUID projectId, UUID id) {
        return store.at(projectId, id, null).map(state -> {
            var events = Json.array();
            event(events, "snapshot", state.sequence()).set("data", HistoryJson.instance(state));
            return part(state.sequence(), events);
        });
    }

    /** Whoever waits is registered before looking: what happens in between wakes them. */
    private Future<Reply> following(Request request, UUID id, long after) {
        var waitMs = Long.parseLong(Objects.requireNonNullElse(request.query(Call.STREAM_WAIT_MS), "0"));
        var watcher = watchers.register(id, waitMs);
        return store.after(request.projectId(), id, after, MOST_AT_ONCE)
                .compose(found -> found.isEmpty()
                        ? watcher.changed()
                                .compose(changed -> changed
                                        ? store.after(request.projectId(), id, after, MOST_AT_ONCE)
                                        : Future.succeededFuture(found))
                        : Future.succeededFuture(found))
                .onComplete(done -> watchers.forget(watcher))
                .map(found -> part(after, found));
    }

    private Future<Reply> eventsAfter(UUID projectId, UUID id, long after) {
        return store.after(projectId, id, after, MOST_AT_ONCE).map(found -> part(after, found));
    }

    private static Reply part(long after, List<TimelineEntry> entries) {
        var events = Json.array();
        entries.forEach(
                entry -> event(events, entry.eventType(), entry.sequence()).set("data", HistoryJson.entry(entry)));
        return part(entries.isEmpty() ? after : entries.get(entries.size() - 1).sequence(), events);
    }

    private static ObjectNode event(ArrayNode events, String name, long sequence) {
        return events.addObject().put("event", name).put("id", String.valueOf(sequence));
    }

    private static Reply part(long position, ArrayNode events) {
        var body = Json.object().put("position", String.valueOf(position));
        body.set("events", events);
        return Reply.of(body);
    }
}
