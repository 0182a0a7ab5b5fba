package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.adapter.PlatformClient.PlatformResponseException;
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
 * Reconciles the runtime with the desired state on start: launches missing instances, accepts open commands and deletes orphans. All
 * changes go through the journal, like commands.
 */
final class Reconciler {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
    private static final String INSTANCES = "/api/v1/runtime/desired-state";
    private static final String SHARED_RUNTIMES = "/api/v1/runtime/desired-shared-runtimes";
    /** Fields of the desired state that a command does not have. */
    private static final List<String> LISTED_ONLY =
            List.of("desired", "status", "command_id", "correlation_id", "open_commands");

    private static final int PAGE = 200;
    private static final long RETRY_FIRST_MS = 1_000;
    private static final long RETRY_MAX_MS = 60_000;

    private final Vertx vertx;
    private final PlatformClient platform;
    private final TokenClient tokenClient;
    private final RuntimeAdapter adapter;
    private final InstanceQueues queues;
    private final ShutdownFlag shutdown;
    private int failures;

    Reconciler(
            Vertx vertx,
            PlatformClient platform,
            TokenClient tokenClient,
            RuntimeAdapter adapter,
            InstanceQueues instanceQueues,
            ShutdownFlag shutdownFlag) {
        this.vertx = vertx;
        this.platform = platform;
        this.tokenClient = tokenClient;
        this.adapter = adapter;
        this.queues = instanceQueues;
        this.shutdown = shutdownFlag;
    }

    /** Retries in the background until one reconciliation succeeds. */
    void start() {
        if (shutdown.isSet()) {
            return;
        }
        // Listed before the desired state is read: an instance launched in between is not in the desired state and
        // still no orphan.
        adapter.listInstances(queues.deployedIds()).compose(this::reconcile).onComplete(done -> {
            if (done.failed() && !shutdown.isSet()) {
                failures++;
                logFailure(done.cause());
                vertx.setTimer(Backoff.delayMs(failures, RETRY_FIRST_MS, RETRY_MAX_MS), timer -> start());
            }
        });
    }

    private void logFailure(Throwable failure) {
        if (Integer.bitCount(failures) == 1) {
            var unsupported = failure instanceof PlatformResponseException response && response.isEndpointMissing();
            (unsupported ? LOG.atInfo() : LOG.atWarn())
                    .addKeyValue("attempt", failures)
                    .log("reconciliation failed; retrying: {}", failure.toString());
        }
    }

    private Future<Void> reconcile(Set<UUID> owned) {
        var listed = new HashSet<UUID>();
        return loadPage(INSTANCES, "", owned, listed)
                .compose(ok -> loadPage(SHARED_RUNTIMES, "", owned, listed))
                .compose(ok -> deleteOrphans(owned, listed));
    }

    private Future<Void> loadPage(String endpoint, String cursor, Set<UUID> owned, Set<UUID> listed) {
        var path = endpoint + "?limit=" + PAGE
                + (cursor.isEmpty() ? "" : "&cursor=" + URLEncoder.encode(cursor, StandardCharsets.UTF_8));
        return tokenClient
                .apiToken()
                .compose(token -> platform.get(path, token))
                .compose(response -> applyPage(response, owned, listed)
                        .map(ok -> response.path("next_cursor").asText("")))
                .recover(
                        e -> isWithoutSharedRuntimes(endpoint, e) ? Future.succeededFuture("") : Future.failedFuture(e))
                .compose(next -> next.isEmpty() ? Future.succeededFuture() : loadPage(endpoint, next, owned, listed));
    }

    /** A platform that lacks the endpoint has no shared runtimes. */
    private static boolean isWithoutSharedRuntimes(String endpoint, Throwable failure) {
        return endpoint.equals(SHARED_RUNTIMES)
                && failure instanceof PlatformResponseException response
                && response.isEndpointMissing();
    }

    /** Without this check, a response without a list would turn every instance into an orphan. */
    private Future<Void> applyPage(JsonNode response, Set<UUID> owned, Set<UUID> listed) {
        if (!response.path("items").isArray()) {
            return Future.failedFuture("the response has no items");
        }
        var applied = new ArrayList<Future<Void>>();
        for (var item : response.path("items")) {
            var instance = TaskSubject.parse(item).id();
            listed.add(instance);
            try {
                applied.addAll(apply((ObjectNode) item, queues.getOrCreate(instance), owned.contains(instance)));
            } catch (IllegalArgumentException e) {
                LOG.atError()
                        .addKeyValue("app_instance_id", instance)
                        .log("skipped an invalid desired state: {}", e.getMessage());
            }
        }
        return applied.isEmpty()
                ? Future.succeededFuture()
                : Future.join(applied).mapEmpty();
    }

    private static List<Future<Void>> apply(ObjectNode item, InstanceQueue instanceQueue, boolean owned) {
        var open = new ArrayList<Message>();
        for (var envelope : item.path("open_commands")) {
            var trace = envelope.path("traceparent").textValue();
            open.add(Message.parseCommand(
                    Envelope.fromBytes(Json.bytes(envelope)), trace == null ? Map.of() : Map.of("traceparent", trace)));
        }
        var done = new ArrayList<Future<Void>>();
        // Without a command id there is nothing to report on. An open command is listed itself.
        var last = item.path("command_id").textValue();
        if (last != null && open.stream().noneMatch(c -> c.id().toString().equals(last))) {
            deployOrDelete(item, UUID.fromString(last), instanceQueue, owned).ifPresent(done::add);
        }
        open.forEach(command -> done.add(instanceQueue.accept(command)));
        return done;
    }

    /** Does not relaunch a failed instance or one that exists. */
    private static Optional<Future<Void>> deployOrDelete(
            ObjectNode item, UUID last, InstanceQueue instanceQueue, boolean owned) {
        if (item.path("desired").asText().equals("deleted")) {
            return Optional.of(instanceQueue.accept(toCommand(CommandType.DELETE, item, last)));
        }
        if (item.path("status").asText().equals("failed")) {
            return Optional.empty();
        }
        if (!instanceQueue.log().isKnown(last)) {
            return Optional.of(instanceQueue.accept(toCommand(CommandType.DEPLOY, item, last)));
        }
        return owned || !instanceQueue.log().commands().isEmpty()
                ? Optional.empty()
                : Optional.of(instanceQueue.rerun(toCommand(CommandType.DEPLOY, item, last)));
    }

    /** Creates the command that leads to the desired state. */
    private static Message toCommand(CommandType commandType, ObjectNode item, UUID id) {
        var payload = item.deepCopy();
        payload.remove(LISTED_ONLY);
        if (commandType == CommandType.DEPLOY) {
            var members = payload.putArray("members");
            for (var member : item.path("members")) {
                if (!member.path("desired_state").asText().equals("removed")) {
                    members.add(member);
                }
            }
        } else {
            payload.remove(List.of("manifest", "config", "members", "attachments"));
        }
        var correlationId = item.path("correlation_id").asText("reconcile-" + id);
        var event = new Envelope(id, commandType.eventType(), Instant.now(), 1, correlationId, payload);
        return Message.parseCommand(event, Map.of());
    }

    private Future<Void> deleteOrphans(Set<UUID> owned, Set<UUID> listed) {
        var deletes = new ArrayList<Future<Void>>();
        for (var instance : owned) {
            var instanceQueue = queues.getOrCreate(instance);
            if (!listed.contains(instance) && !instanceQueue.log().isDeletePending()) {
                LOG.atWarn()
                        .addKeyValue("app_instance_id", instance)
                        .log("deleting an instance that is unknown to the platform");
                deletes.add(instanceQueue.accept(Message.orphanDelete(instanceQueue.log())));
            }
        }
        LOG.atInfo()
                .addKeyValue("listed", listed.size())
                .addKeyValue("owned", owned.size())
                .addKeyValue("orphans", deletes.size())
                .log("reconciled with desired state");
        return deletes.isEmpty()
                ? Future.succeededFuture()
                : Future.join(deletes).mapEmpty();
    }
}
