package dev.slipway.example;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.adapter.DeleteCommand;
import dev.slipway.adapter.DeployCommand;
import dev.slipway.adapter.OperateCommand;
import dev.slipway.adapter.Outcome;
import dev.slipway.adapter.Outcome.Canceled;
import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Done;
import dev.slipway.adapter.Outcome.Endpoint;
import dev.slipway.adapter.Outcome.Failed;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.adapter.Progress;
import dev.slipway.adapter.Reports;
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

/** Every instance is a small web server in this process. What it says is in a file, so that it says it again after a restart. */
public final class GreeterAdapter implements RuntimeAdapter {
    private final Vertx vertx;
    private final Path home;
    private final Map<UUID, Greeter> greeters = new HashMap<>();

    /** What runs of an instance. */
    private record Greeter(HttpServer server, String words) {
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

    /** The servers ended with the process before this one: they are started anew, and the platform learns where. */
    @Override
    public Future<Void> start(Reports reports) {
        return owned(Set.of()).compose(instances -> Future.join(instances.stream()
                        .map(id -> recall(id)
                                .compose(words -> run(id, words))
                                .compose(running -> reports.report(id, running)))
                        .toList())
                .mapEmpty());
    }

    /** What there is, for the comparison with what the platform wants. */
    @Override
    public Future<Set<UUID>> owned(Set<UUID> onRecord) {
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
            return Future.succeededFuture(new Failed("config.greeting is empty: give it a word"));
        }
        var words = greeting + " from " + command.task().appVersion();
        return pause(command.config(), progress)
                .compose(wanted -> wanted
                        ? run(command.task().appInstanceId(), words)
                        : Future.succeededFuture(new Canceled("not wanted any more")));
    }

    /** To have another version run is the same: {@link #run} keeps the one before until the new one answers. */
    @Override
    public Future<Outcome> upgrade(UpgradeCommand command, Progress progress) {
        return deploy(
                new DeployCommand(command.task(), command.manifest(), command.config(), command.members()), progress);
    }

    @Override
    public Future<Outcome> rollback(UpgradeCommand command, Progress progress) {
        return upgrade(command, progress);
    }

    /** One operation, {@code greeter.greet}; the platform has checked its input, and checks the output. */
    @Override
    public Future<Outcome> operate(OperateCommand command, Progress progress) {
        var greeter = greeters.get(command.task().appInstanceId());
        if (greeter == null || !command.operation().equals("greeter.greet")) {
            return RuntimeAdapter.super.operate(command, progress); // it does not support that
        }
        var greeting = greeter.words() + ", " + command.input().path("name").asText();
        return pause(command.input(), progress)
                .map(wanted -> wanted
                        ? new Done(Json.object().put("greeting", greeting))
                        : new Canceled("not wanted any more"));
    }

    /** Also of an instance that never was: then there is nothing to do. */
    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        var id = command.task().appInstanceId();
        return end(greeters.remove(id))
                .compose(ok -> vertx.executeBlocking(() -> Files.deleteIfExists(file(id))))
                .map(ok -> new Deleted());
    }

    @Override
    public Future<Void> stop() {
        return Future.join(greeters.values().stream().map(this::end).toList()).mapEmpty();
    }

    /** Work that takes time: it says so, and answers whether it is still wanted at the end. */
    private Future<Boolean> pause(JsonNode asked, Progress progress) {
        var seconds = asked.path("after_seconds").asInt();
        if (seconds == 0) {
            return Future.succeededFuture(true);
        }
        return progress.say("takes " + seconds + " seconds")
                .compose(ok -> Future.any(vertx.timer(seconds, TimeUnit.SECONDS), progress.cancelled()))
                .map(ok -> !progress.cancelled().isComplete());
    }

    /** Asked twice, it finds its work done. Killed in between, it finds the file as it was before or as it is to be. */
    private Future<Outcome> run(UUID id, String words) {
        var before = greeters.get(id);
        if (before != null && before.words().equals(words)) {
            return Future.succeededFuture(before.running());
        }
        return vertx.createHttpServer()
                .requestHandler(request -> request.response().end(words))
                .listen(0, "127.0.0.1")
                .compose(server -> remember(id, words).compose(ok -> {
                    var greeter = new Greeter(server, words);
                    greeters.put(id, greeter);
                    return end(before).map(ended -> greeter.running());
                }));
    }

    private Future<Void> end(@Nullable Greeter greeter) {
        return greeter == null ? Future.succeededFuture() : greeter.server().close();
    }

    private Future<String> recall(UUID id) {
        return vertx.executeBlocking(() -> Files.readString(file(id)));
    }

    private Future<Void> remember(UUID id, String words) {
        return vertx.executeBlocking(() -> {
            var temporary = Files.createTempFile(Files.createDirectories(home), "new", ".tmp");
            Files.writeString(temporary, words);
            Files.move(temporary, file(id), StandardCopyOption.ATOMIC_MOVE);
            return null;
        });
    }

    private Path file(UUID id) {
        return home.resolve(id + ".greeting");
    }
}
