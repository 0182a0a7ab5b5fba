package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.PlatformClient.AnswerException;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Compares, at the start, what there is with what the platform wants: launches what is missing, takes up what it was not told, and ends
 * what nobody wants. Everything goes through the journal, like a command.
 */
final class Reconciliation {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciliation.class);
    private static final int PAGE = 200;
    private static final long RETRY_FIRST_MS = 1_000;
    private static final long RETRY_MAX_MS = 60_000;

    private final Vertx vertx;
    private final PlatformClient platform;
    private final Tokens tokens;
    private final RuntimeAdapter adapter;
    private final Lanes lanes;
    private final Stopping stopping;
    private int failures;

    Reconciliation(
            Vertx vertx,
            PlatformClient platform,
            Tokens tokens,
            RuntimeAdapter adapter,
            Lanes lanes,
            Stopping stopping) {
        this.vertx = vertx;
        this.platform = platform;
        this.tokens = tokens;
        this.adapter = adapter;
        this.lanes = lanes;
        this.stopping = stopping;
    }

    /** Tries until the platform has answered once. Nothing waits for it. */
    void start() {
        if (stopping.begun()) {
            return;
        }
        // Asked first: what comes while the platform answers is not on its list, and yet no orphan.
        adapter.owned(lanes.deployed())
                .compose(owned -> page("", owned, new HashSet<>()))
                .onComplete(done -> {
                    if (done.failed() && !stopping.begun()) {
                        failures++;
                        complain(done.cause());
                        vertx.setTimer(Backoff.ms(failures, RETRY_FIRST_MS, RETRY_MAX_MS), timer -> start());
                    }
                });
    }

    private void complain(Throwable failure) {
        if (Integer.bitCount(failures) == 1) {
            var old = failure instanceof AnswerException answer && answer.isUnknownThere();
            (old ? LOG.atInfo() : LOG.atWarn())
                    .addKeyValue("attempt", failures)
                    .log("cannot compare with what the platform wants; will try again: {}", failure.toString());
        }
    }

    private Future<Void> page(String cursor, Set<UUID> owned, Set<UUID> listed) {
        var path = "/api/v1/runtime/desired-state?limit=" + PAGE
                + (cursor.isEmpty() ? "" : "&cursor=" + URLEncoder.encode(cursor, StandardCharsets.UTF_8));
        return tokens.own()
                .compose(token -> platform.get(path, token))
                .compose(answer -> take(answer, owned, listed)
                        .map(ok -> answer.path("next_cursor").asText("")))
                .compose(next -> next.isEmpty() ? endOrphans(owned, listed) : page(next, owned, listed));
    }

    /** An answer without a list is no answer: everything would be an orphan. */
    private Future<Void> take(JsonNode answer, Set<UUID> owned, Set<UUID> listed) {
        if (!answer.path("items").isArray()) {
            return Future.failedFuture("the answer has no items");
        }
        var taken = new ArrayList<Future<Void>>();
        for (var item : answer.path("items")) {
            var instance = UUID.fromString(item.path("app_instance_id").asText());
            listed.add(instance);
            try {
                taken.addAll(apply((ObjectNode) item, lanes.of(instance), owned.contains(instance)));
            } catch (IllegalArgumentException e) {
                LOG.atError()
                        .addKeyValue("app_instance_id", instance)
                        .log("what the platform wants of an instance is not as the contract says: {}", e.getMessage());
            }
        }
        return taken.isEmpty() ? Future.succeededFuture() : Future.join(taken).mapEmpty();
    }

    private static List<Future<Void>> apply(ObjectNode item, Lane lane, boolean owned) {
        var open = new ArrayList<Message>();
        for (var envelope : item.path("open_commands")) {
            var trace = envelope.path("traceparent").textValue();
            open.add(Message.command(
                    Envelope.fromBytes(Json.bytes(envelope)), trace == null ? Map.of() : Map.of("traceparent", trace)));
        }
        var done = new ArrayList<Future<Void>>();
        // Without it there is nothing that a report could be about; and if it is open, it is on the list itself.
        var last = item.path("command_id").textValue();
        if (last != null && open.stream().noneMatch(c -> c.id().toString().equals(last))) {
            bring(item, UUID.fromString(last), lane, owned).ifPresent(done::add);
        }
        open.forEach(command -> done.add(lane.accept(command)));
        return done;
    }

    /** What failed is not launched again by itself; what is there already is not launched twice. */
    private static Optional<Future<Void>> bring(ObjectNode item, UUID last, Lane lane, boolean owned) {
        if (item.path("desired").asText().equals("deleted")) {
            return Optional.of(lane.accept(command(Kind.DELETE, item, last)));
        }
        if (item.path("status").asText().equals("failed")) {
            return Optional.empty();
        }
        if (!lane.log().knows(last)) {
            return Optional.of(lane.accept(command(Kind.DEPLOY, item, last)));
        }
        return owned || !lane.log().commands().isEmpty()
                ? Optional.empty()
                : Optional.of(lane.again(command(Kind.DEPLOY, item, last)));
    }

    /** What is wanted, as the command that would say so. */
    private static Message command(Kind kind, ObjectNode item, UUID id) {
        var payload = Json.object();
        for (var field : List.of(
                "org_id",
                "project_id",
                "app_slug",
                "app_instance_id",
                "generation",
                "app_version",
                "resource_name",
                "operator_service_account_id")) {
            payload.set(field, item.path(field));
        }
        if (kind == Kind.DEPLOY) {
            payload.set("manifest", item.path("manifest"));
            payload.set("config", item.path("config"));
            var members = payload.putArray("members");
            for (var member : item.path("members")) {
                if (!member.path("desired_state").asText().equals("removed")) {
                    members.add(member);
                }
            }
        }
        var correlationId = item.path("correlation_id").asText("reconcile-" + id);
        var event = new Envelope(id, kind.type(), Instant.now(), 1, correlationId, payload);
        return Message.command(event, Map.of());
    }

    private Future<Void> endOrphans(Set<UUID> owned, Set<UUID> listed) {
        var ended = new ArrayList<Future<Void>>();
        for (var instance : owned) {
            var lane = lanes.of(instance);
            if (!listed.contains(instance) && !lane.log().isEnding()) {
                LOG.atWarn()
                        .addKeyValue("app_instance_id", instance)
                        .log("the platform does not know this instance: it is ended");
                ended.add(lane.accept(Message.ofOrphan(lane.log())));
            }
        }
        LOG.atInfo()
                .addKeyValue("listed", listed.size())
                .addKeyValue("owned", owned.size())
                .addKeyValue("orphans", ended.size())
                .log("what there is was compared with what the platform wants");
        return ended.isEmpty() ? Future.succeededFuture() : Future.join(ended).mapEmpty();
    }
}
