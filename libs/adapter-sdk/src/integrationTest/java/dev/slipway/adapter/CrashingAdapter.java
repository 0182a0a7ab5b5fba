package dev.slipway.adapter;

import dev.slipway.adapter.Outcome.Deleted;
import dev.slipway.adapter.Outcome.Running;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.ShortLivedJvm;
import io.vertx.core.Future;
import io.vertx.core.VertxOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** An adapter in its own JVM, so that tests can kill it. Each deploy appends a line to a file. */
final class CrashingAdapter implements RuntimeAdapter {
    private final Path effects;
    private final boolean haltAfterEffect;

    CrashingAdapter(Path effects, boolean halts) {
        this.effects = effects;
        this.haltAfterEffect = halts;
    }

    /** Arguments: base URL, bootstrap, prefix, adapter id, secret file, journal, effects file, whether to halt after the effect. */
    public static void main(String[] args) {
        var telemetry = Telemetry.start(Map.of());
        var vertx = telemetry.vertx(new VertxOptions()).build();
        var config = new AdapterConfig(
                URI.create(args[0]),
                args[1],
                args[2],
                Map.of("session.timeout.ms", "4000", "heartbeat.interval.ms", "1000"),
                UUID.fromString(args[3]),
                Path.of(args[4]),
                Path.of(args[5]),
                4);
        var adapter = new CrashingAdapter(Path.of(args[6]), Boolean.parseBoolean(args[7]));
        new AdapterHost(vertx, config, telemetry.traces(), adapter).start().onFailure(e -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
    }

    static Process start(AdapterConfig config, Path effects, boolean halts) throws IOException {
        var command = new ArrayList<>(ShortLivedJvm.command(128));
        command.addAll(List.of(
                CrashingAdapter.class.getName(),
                config.baseUrl().toString(),
                config.kafkaBootstrap(),
                config.kafkaTopicPrefix(),
                config.adapterId().toString(),
                config.secretFile().toString(),
                config.journalDir().toString(),
                effects.toString(),
                String.valueOf(halts)));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(effects.resolveSibling("crashing-adapter.log").toFile())
                .start();
    }

    @Override
    public String backend() {
        return "bare_metal";
    }

    @Override
    public Future<Outcome> deploy(DeployCommand command, Progress progress) {
        try {
            Files.writeString(
                    effects, command.task().subjectId() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (haltAfterEffect) {
            Runtime.getRuntime().halt(137);
        }
        return Future.succeededFuture(new Running(List.of()));
    }

    @Override
    public Future<Outcome> delete(DeleteCommand command, Progress progress) {
        return Future.succeededFuture(new Deleted());
    }
}
