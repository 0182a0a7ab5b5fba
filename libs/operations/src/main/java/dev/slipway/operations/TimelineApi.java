package dev.slipway.operations;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.service.Call;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Serves the timeline of one kind of subject, and its event stream by long polling. */
public final class TimelineApi {
    private static final int MAX_EVENTS = 100;

    private final SubjectKind kind;
    private final Function<Request, UUID> owner;
    private final TimelineStore store;
    private final SnapshotFinder snapshots;
    private final ChangeNotifier notifier;

    /** {@code owner} returns the project or the organization that the request is scoped by. */
    public TimelineApi(
            SubjectKind kind,
            Function<Request, UUID> owner,
            TimelineStore store,
            SnapshotFinder snapshots,
            ChangeNotifier notifier) {
        this.kind = kind;
        this.owner = owner;
        this.store = store;
        this.snapshots = snapshots;
        this.notifier = notifier;
    }

    /** Finds the current state of a subject. */
    public interface SnapshotFinder {
        Future<Snapshot> find(UUID ownerId, UUID subjectId);
    }

    /** The state of a subject after the event with that sequence number. */
    public record Snapshot(long sequence, ObjectNode state) {}

    /** A part of a stream: the next request continues at the position. */
    private record StreamPart(String position, List<StreamEvent> events) {}

    private record StreamEvent(String event, String id, JsonNode data) {}

    public Future<Reply> timeline(Request request) {
        return store.list(owner.apply(request), request.pathId(kind.idField()), request.cursor(), request.limit())
                .map(page -> page.toReply(Json::toObject));
    }

    /** Returns the next part of a stream. The first request is answered at once; the others may wait for events. */
    public Future<Reply> watch(Request request) {
        var ownerId = owner.apply(request);
        var id = request.pathId(kind.idField());
        if (request.call().isStreamContinuation()) {
            var after = Long.parseLong(Objects.requireNonNull(request.query(Call.STREAM_POSITION)));
            return waitForEvents(request, id, after);
        }
        var seen = request.call().headers().get("last-event-id");
        return store.findLastSequence(ownerId, id).compose(last -> {
            var after = seen == null ? Long.MAX_VALUE : Long.parseLong(seen);
            return after > last
                    ? snapshots.find(ownerId, id).map(TimelineApi::toReply)
                    : store.listAfter(ownerId, id, after, MAX_EVENTS).map(found -> toReply(after, found));
        });
    }

    /** The waiter is registered before the events are read: an event that is committed in between wakes it. */
    private Future<Reply> waitForEvents(Request request, UUID id, long after) {
        var waitMs = Long.parseLong(Objects.requireNonNullElse(request.query(Call.STREAM_WAIT_MS), "0"));
        var waiter = notifier.register(id, waitMs);
        var ownerId = owner.apply(request);
        return store.listAfter(ownerId, id, after, MAX_EVENTS)
                .compose(found -> found.isEmpty()
                        ? waiter.changed()
                                .compose(changed -> changed
                                        ? store.listAfter(ownerId, id, after, MAX_EVENTS)
                                        : Future.succeededFuture(found))
                        : Future.succeededFuture(found))
                .onComplete(done -> notifier.unregister(waiter))
                .map(found -> toReply(after, found));
    }

    private static Reply toReply(Snapshot snapshot) {
        var position = String.valueOf(snapshot.sequence());
        var event = new StreamEvent("snapshot", position, snapshot.state());
        return Reply.ofRecord(new StreamPart(position, List.of(event)));
    }

    private static Reply toReply(long after, List<TimelineEntry> entries) {
        var last = entries.isEmpty() ? after : entries.get(entries.size() - 1).sequence();
        var events = entries.stream()
                .map(entry ->
                        new StreamEvent(entry.eventType(), String.valueOf(entry.sequence()), Json.toObject(entry)))
                .toList();
        return Reply.ofRecord(new StreamPart(String.valueOf(last), events));
    }
}
