package dev.slipway.service;

import dev.slipway.telemetry.Telemetry;
import io.vertx.core.VertxOptions;

import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process with a clustered event bus. Ends when its standard input is closed. */
final class BusMemberMain {
    private BusMemberMain() {}

    /** Takes the name of the cluster, the own port and those of the others. */
    public static void main(String[] arguments) throws Exception {
        var ports = List.of(arguments).subList(1, arguments.length);
        var settings = new ClusterSettings(
                arguments[0],
                "127.0.0.1",
                Integer.parseInt(ports.get(0)),
                ports.stream().map(port -> "127.0.0.1:" + port).toList(),
                null);
        var vertx = ClusterSettings.startVertx(
                        Telemetry.start(Map.of()), settings, new VertxOptions().setEventLoopPoolSize(1))
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        System.out.println("joined");
        System.in.transferTo(OutputStream.nullOutputStream());
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
}
