package dev.slipway.benchmarks;

import dev.slipway.contract.Json;
import dev.slipway.standalone.Platform;
import dev.slipway.standalone.StandaloneConfig;
import dev.slipway.telemetry.Telemetry;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Starts the platform with the given services on the given Kafka and PostgreSQL, configured as by a user. */
public final class PlatformMain {
    private PlatformMain() {}

    public static void main(String[] arguments)
            throws IOException, ExecutionException, TimeoutException, InterruptedException {
        // The load comes from one address, and is to be measured, not limited.
        var environment = Map.ofEntries(
                Map.entry("SLIPWAY_HOME", arguments[0]),
                Map.entry("SLIPWAY_KAFKA_BOOTSTRAP", arguments[1]),
                Map.entry("SLIPWAY_DATABASE_URL", arguments[2]),
                Map.entry("SLIPWAY_SERVICES", arguments[3]),
                Map.entry(
                        "SLIPWAY_RECORD_KEYS_DIRECTORY",
                        Path.of(arguments[0]).resolveSibling("record-keys").toString()),
                Map.entry("SLIPWAY_HTTP_PORT", "0"),
                Map.entry("SLIPWAY_MANAGEMENT_PORT", "0"),
                Map.entry("SLIPWAY_RATE_PER_PRINCIPAL", "0"),
                Map.entry("SLIPWAY_RATE_PER_ADDRESS", "0"),
                Map.entry("SLIPWAY_RATE_TOKENS_PER_ADDRESS", "0"),
                Map.entry("SLIPWAY_KEY_ENCRYPTION_KEY", "c2xpcHdheS1iZW5jaG1hcmsta2V5LW9mLTMyLWJ5dGU="));
        var config = StandaloneConfig.from(environment);
        var issuer = BenchSeeds.issuer();
        var telemetry = Telemetry.start(environment);
        var platform = Platform.start(
                        config,
                        new Platform.Addresses(arguments[1], arguments[2]),
                        telemetry,
                        BenchSeeds.iam(issuer),
                        BenchSeeds.catalog())
                .toCompletionStage()
                .toCompletableFuture()
                .get(120, TimeUnit.SECONDS);
        var answer = Json.object().put("port", platform.httpPort()).put("management_port", platform.managementPort());
        var tokens = answer.putArray("tokens");
        BenchSeeds.tokens(issuer).forEach(tokens::add);
        BenchOutput.print(Json.text(answer));
        System.in.transferTo(OutputStream.nullOutputStream());
        platform.stop().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        telemetry.close();
        System.exit(0);
    }
}
