package dev.slipway.example;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.InstanceReporter;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.RuntimeAdapter;
import dev.slipway.adapter.UpgradeCommand;
import dev.slipway.contract.Json;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import org.jspecify.annotations.Nullable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Runs every instance as a small web server in this process. The greeting is kept in a file, so that it survives a restart. */
public final class GreeterAdapter implements RuntimeAdapter {
    private final Vertx vertx;
    private final Path home;
    private final Map<UUID, Greeter> greeters = new HashMap<>();

    private record Greeter(HttpServer server, String text) {
        Outcome running() {
            return new Running(List.of(new Endpoint("http", "http://127.0.0.1:" + server.actualPort())));
        }
    }

    public GreeterAdapter(Vertx vertx, Path home) {
        this.vertx = vertx;
        this.home = home;
    }

    @Override
    public String backend() {
        return "bare_metal";
    }

    /** Starts the servers again, because they stopped with the previous process, and reports their new addresses. */
    @Override
    public Future<Void> start(InstanceReporter reporter) {
        return listInstances(Set.of()).compose(instances -> Future.join(instances.stream()
                        .map(id -> readGreeting(id)
                                .compose(text -> startServer(id, text))
                                .compose(running -> reporter.reportOutcome(id, running)))
                        .toList())
                .mapEmpty());
    }

    /** Lists the instances with a greeting file, for reconciliation with the desired state. */
    @Override
    public Future<Set<UUID>> listInstances(Set<UUID> journaled) {
        return vertx.executeBlocking(() -> {
            var found = new HashSet<UUID>();
            try (var files = Files.newDirectoryStream(Files.createDirectories(home), "*.greeting")) {
                for (var file : files) {
                    var name = file.getFileName().toString();
                    found.add(UUID.fromString(name.substring(0, name.indexOf('.'))));
                }
            }
            return found;
        });
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        var greeting = command.config().path("greeting").asText("Hello");
        if (greeting.isBlank()) {
            return Future.succeededFuture(new Failed("config.greeting is empty; set it to a word"));
        }
        var text = greeting + " from " + command.task().appVersion();
        return waitIfRequested(command.config(), progress)
                .compose(active -> active
                        ? startServer(command.task().subjectId(), text)
                        : Future.succeededFuture(new Canceled("canceled while waiting")));
    }

    /** An upgrade is a deploy: {@link #startServer} keeps the old server until the new one listens. */
    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        return deploy(
                new DeployCommand(command.task(), command.manifest(), command.config(), command.members()), progress);
    }

    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return upgrade(command, progress);
    }

    /** Runs the operation {@code greeter.greet}. The platform validates its input and output. */
    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var greeter = greeters.get(command.task().subjectId());
        if (greeter == null || !command.operation().equals("greeter.greet")) {
            return RuntimeAdapter.super.operate(command, progress); // not supported
        }
        var greeting = greeter.text() + ", " + command.input().path("name").asText();
        return waitIfRequested(command.input(), progress)
                .map(active -> active
                        ? new Done(Json.object().put("greeting", greeting))
                        : new Canceled("canceled while waiting"));
    }

    /** Also succeeds for an instance that does not exist. */
    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var id = command.task().subjectId();
        return closeServer(greeters.remove(id))
                .compose(ok -> vertx.executeBlocking(() -> Files.deleteIfExists(file(id))))
                .map(ok -> new Deleted());
    }

    @Override
    public Future<Void> stop() {
        return Future.join(greeters.values().stream().map(this::closeServer).toList())
                .mapEmpty();
    }

    /** Waits for {@code after_seconds}, if set, and reports progress. Returns false if the command was canceled meanwhile. */
    private Future<Boolean> waitIfRequested(JsonNode parameters, Progress progress) {
        var seconds = parameters.path("after_seconds").asInt();
        if (seconds == 0) {
            return Future.succeededFuture(true);
        }
        return progress.report("waiting " + seconds + " seconds")
                .compose(ok -> Future.any(vertx.timer(seconds, TimeUnit.SECONDS), progress.cancellation()))
                .map(ok -> !progress.cancellation().isComplete());
    }

    /** Idempotent: a second call finds the server running. A crash leaves either the old or the new greeting file. */
    private Future<Outcome> startServer(UUID id, String text) {
        var current = greeters.get(id);
        if (current != null && current.text().equals(text)) {
            return Future.succeededFuture(current.running());
        }
        return vertx.createHttpServer()
                .requestHandler(request -> request.response().end(text))
                .listen(0, "127.0.0.1")
                .compose(server -> writeGreeting(id, text).compose(ok -> {
                    var greeter = new Greeter(server, text);
                    greeters.put(id, greeter);
                    return closeServer(current).map(closed -> greeter.running());
                }));
    }

    private Future<Void> closeServer(@Nullable Greeter greeter) {
        return greeter == null ? Future.succeededFuture() : greeter.server().close();
    }

    private Future<String> readGreeting(UUID id) {
        return vertx.executeBlocking(() -> Files.readString(file(id)));
    }

    private Future<Void> writeGreeting(UUID id, String text) {
        return vertx.executeBlocking(() -> {
            var temporary = Files.createTempFile(Files.createDirectories(home), "new", ".tmp");
            Files.writeString(temporary, text);
            Files.move(temporary, file(id), StandardCopyOption.ATOMIC_MOVE);
            return null;
        });
    }

    private Path file(UUID id) {
        return home.resolve(id + ".greeting");
    }
}
