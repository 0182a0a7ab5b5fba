package dev.slipway.audit.correlation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.audit.correlation.CorrelationEntry.Kind;
import dev.slipway.audit.correlation.TriageLinks.Links;
import dev.slipway.authz.Authorizer;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.service.Page;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Serves the entries of a correlation id. Clients choose these ids, so a reader sees only what their permissions cover. */
public final class CorrelationApi {
    private static final String ACTION = "audit.timeline.read";
    private static final String REFUSALS = "refusals";

    private final CorrelationStore store;
    private final TriageLinks triageLinks;
    private final Authorizer authorizer;
    private final Clock clock;

    public CorrelationApi(CorrelationStore store, TriageLinks triageLinks, Authorizer authorizer, Clock clock) {
        this.store = store;
        this.triageLinks = triageLinks;
        this.authorizer = authorizer;
        this.clock = clock;
    }

    /** The response body. */
    record Timeline(
            String correlationId,
            List<String> traceIds,
            boolean truncated,
            List<Item> items,
            @Nullable String nextCursor,
            Links links) {}

    /** An entry in the response body. */
    record Item(
            Kind kind,
            Instant at,
            String title,
            @Nullable String traceId,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            ObjectNode detail) {
        static Item of(CorrelationEntry entry) {
            return new Item(
                    entry.kind(),
                    entry.at(),
                    entry.title(),
                    entry.traceId(),
                    entry.orgId(),
                    entry.projectId(),
                    entry.detail());
        }
    }

    public Future<Reply> get(Request request) {
        var correlationId = request.path("correlation_id");
        var reader = request.principal();
        var accessibleScopes = authorizer.findAccessibleScopes(reader, ACTION, clock.instant());
        var refusals = REFUSALS.equals(request.query("view"));
        var cursor = request.cursor();
        return store.find(correlationId, accessibleScopes, reader.id(), refusals, cursor, request.limit())
                .map(page -> page.items().isEmpty() && !refusals && cursor == null
                        ? notFound()
                        : Reply.ofRecord(timeline(correlationId, page, triageLinks)));
    }

    private static Reply notFound() {
        return Reply.of(
                Problem.of(
                        ErrorCode.CORRELATION_NOT_FOUND,
                        "No entries that you can read have this correlation id. Entries of recent requests appear after a moment."));
    }

    static Timeline timeline(String correlationId, Page<CorrelationEntry> page, TriageLinks triageLinks) {
        var next = page.next();
        var traceIds = page.items().stream()
                .map(CorrelationEntry::traceId)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        var times = page.items().stream().map(CorrelationEntry::at).sorted().toList();
        return new Timeline(
                correlationId,
                traceIds,
                next != null,
                page.items().stream().map(Item::of).toList(),
                next == null ? null : next.encode(),
                times.isEmpty()
                        ? triageLinks.create(correlationId, traceIds, null, null)
                        : triageLinks.create(correlationId, traceIds, times.get(0), times.get(times.size() - 1)));
    }
}
