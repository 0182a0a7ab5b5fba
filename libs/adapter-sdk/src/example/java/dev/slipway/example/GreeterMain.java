package dev.slipway.example;

import dev.slipway.adapter.AdapterConfig;
import dev.slipway.adapter.AdapterHost;
import dev.slipway.settings.Settings;
import dev.slipway.telemetry.Telemetry;
import io.vertx.core.VertxOptions;

import java.nio.file.Path;

/** Runs the adapter until the process is stopped. */
public final class GreeterMain {
    private GreeterMain() {}

    public static void main(String[] args) {
        var settings = new Settings(System.getenv());
        var home = Path.of(
                settings.required("SLIPWAY_ADAPTER_DATA_DIR", "directory for the adapter's state; must be persistent"));
        var config = AdapterConfig.from(settings, home.resolve("journal"), 100);
        settings.requireValid();

        var telemetry = Telemetry.start(System.getenv());
        var vertx = telemetry.vertx(new VertxOptions()).build();
        var adapter = new GreeterAdapter(vertx, home.resolve("greetings"));
        var host = new AdapterHost(vertx, config, telemetry.traces(), adapter);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() ->
                        host.stop().toCompletionStage().toCompletableFuture().join()));
        host.start().onFailure(e -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
    }
}
