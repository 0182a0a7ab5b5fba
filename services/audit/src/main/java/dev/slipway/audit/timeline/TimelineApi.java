package dev.slipway.audit.timeline;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.authz.Authorizer;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Serves the timeline. Correlation ids are chosen by callers: what others wrote under the same one is theirs. */
public final class TimelineApi {
    private static final String ACTION = "audit.timeline.read";
    private static final int MAX_ENTRIES = 1_000;

    private final TimelineStore store;
    private final Authorizer authorizer;
    private final Clock clock;

    public TimelineApi(TimelineStore store, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    public Future<Reply> get(Request request) {
        var correlationId = request.path("correlation_id");
        var reader = request.principal();
        var reach = authorizer.reach(reader, ACTION, clock.instant());
        return store.find(correlationId, reach, reader.id(), MAX_ENTRIES + 1)
                .map(facts -> facts.isEmpty() ? notFound() : Reply.of(timeline(correlationId, facts)));
    }

    private static Reply notFound() {
        return Reply.of(
                Problem.of(
                        ErrorCode.CORRELATION_NOT_FOUND,
                        "There is nothing under this correlation id that you may see. Records arrive within moments: try again shortly."));
    }

    static ObjectNode timeline(String correlationId, List<Fact> facts) {
        var shown = facts.subList(0, Math.min(facts.size(), MAX_ENTRIES));
        var body = Json.object().put("correlation_id", correlationId);
        var traceIds = body.putArray("trace_ids");
        shown.stream().map(Fact::traceId).filter(Objects::nonNull).distinct().forEach(traceIds::add);
        body.put("truncated", facts.size() > MAX_ENTRIES);
        var items = body.putArray("items");
        shown.forEach(fact -> items.add(entry(fact)));
        return body;
    }

    private static ObjectNode entry(Fact fact) {
        var entry = Json.object();
        entry.put("kind", fact.kind().text());
        entry.put("at", fact.at().toString());
        entry.put("title", fact.title());
        entry.put("trace_id", fact.traceId());
        entry.put("org_id", text(fact.orgId()));
        entry.put("project_id", text(fact.projectId()));
        return entry.set("detail", fact.detail());
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }
}
