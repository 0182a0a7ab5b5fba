package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Json;
import dev.slipway.embedded.EmbeddedMain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.StreamSupport;

/** Kafka, PostgreSQL and the load generator, each a process of its own; and the platform, when a row needs it. */
final class Stage implements AutoCloseable {
    /** What `slipway` starts with, so that a figure is that of what a user runs; the baseline has the same. */
    static final List<String> JVM =
            List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:MetaspaceSize=96m", "-XX:MaxMetaspaceSize=192m", "-Xss512k");

    /** As Kafka's own start script has it: the pauses of a collector that stops everything would be in every figure of an event. */
    private static final List<String> BROKER_JVM =
            List.of("-Xmx512m", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35");

    private static final int CONNECTIONS = 48;
    private static final long SETTLE_NS = 180_000_000_000L;
    private static final long WARM_NS = 300_000_000_000L;
    private static final double WARM_ROUND_SECONDS = 20;
    private static final int MIN_WARM_ROUNDS = 3;
    /** What the compiler may still take of the processor time when measuring begins. */
    private static final double COMPILED = 0.04;

    private final Path directory;
    private final String profile;
    private final Child infrastructure;
    private final Child load;
    private final String kafkaBootstrap;
    private final Database database;
    private final String databaseUrl;
    private int platforms;

    Stage(Path directory, String profile) {
        this.directory = directory;
        this.profile = profile;
        infrastructure = Child.java(
                "infrastructure",
                directory,
                BROKER_JVM,
                EmbeddedMain.class,
                directory.resolve("data").toString());
        var addresses = infrastructure.answer();
        kafkaBootstrap = addresses.path("kafka_bootstrap").asText();
        databaseUrl = addresses.path("database_url").asText();
        database = new Database(databaseUrl);
        load = Child.java("load", directory, List.of("-Xmx128m", "-XX:+UseSerialGC"), LoadMain.class);
    }

    /** A running platform, and the tokens of its tenants' owners. */
    record Running(Child process, int port, int managementPort, List<String> tokens) implements AutoCloseable {
        @Override
        public void close() {
            process.close();
        }

        /** What it says of itself under a name and with these labels. */
        double metric(String name, String... labels) {
            try {
                var metrics = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + "/metrics"));
                var text = HttpClient.newHttpClient().send(metrics.build(), BodyHandlers.ofString());
                return text.body()
                        .lines()
                        .filter(line -> line.startsWith(name + "{")
                                && Arrays.stream(labels).allMatch(line::contains))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                        .max()
                        .orElseThrow();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        String tokenFor(int project) {
            return tokens.get(project % tokens.size());
        }
    }

    Running platform(String services) {
        var jvm = new ArrayList<>(JVM);
        platforms++;
        if (!profile.isEmpty()) {
            jvm.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + profile + "/"
                    + directory.getFileName() + "-" + platforms + ".jfr");
        }
        var process = Child.java(
                "platform",
                directory,
                jvm,
                PlatformMain.class,
                directory.resolve("home").toString(),
                kafkaBootstrap,
                databaseUrl,
                services);
        var answer = process.answer();
        var tokens = StreamSupport.stream(answer.path("tokens").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
        return new Running(
                process,
                answer.path("port").asInt(),
                answer.path("management_port").asInt(),
                tokens);
    }

    Child baseline(String eventSizes) {
        return Child.java("baseline", directory, JVM, BaselineMain.class, databaseUrl, eventSizes);
    }

    /** Writes requests down for the load generator: method, path, token and body of each. */
    Path requests(String name, List<String> lines) {
        try {
            return Files.write(directory.resolve(name), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Load from 48 connections: so many requests, but not for longer than given; a rate of 0 is as fast as answers come. Any failed
     * request fails the benchmark.
     */
    JsonNode load(int port, Path requests, int count, double seconds, int rate) {
        var result = warm(port, requests, count, seconds, rate);
        if (result.path("failed").asInt() > 0) {
            throw new IllegalStateException("requests failed: " + result);
        }
        return result;
    }

    /** The same, but a request may fail: a cold start on a busy machine can keep one waiting for too long. */
    @CanIgnoreReturnValue
    JsonNode warm(int port, Path requests, int count, double seconds, int rate) {
        return load.ask(Json.object()
                .put("port", port)
                .put("requests", requests.toString())
                .put("connections", CONNECTIONS)
                .put("count", count)
                .put("seconds", seconds)
                .put("rate", rate));
    }

    /**
     * Load until the compiler has hardly anything left to do, in the server and in the broker: until then a good part of the processor
     * time is the compiler's, which says nothing about a platform that runs for days.
     */
    void warmUntilCompiled(Child server, int port, Path requests, int perRound) {
        warmUntilCompiled(server, () -> warm(port, requests, perRound, WARM_ROUND_SECONDS, 0));
    }

    void warmUntilCompiled(Child server, Runnable load) {
        var started = System.nanoTime();
        for (var round = 1; System.nanoTime() - started < WARM_NS; round++) {
            var cpu = server.cpuSeconds() + infrastructure.cpuSeconds();
            var compiling = server.compilerSeconds() + infrastructure.compilerSeconds();
            load.run();
            var share = (server.compilerSeconds() + infrastructure.compilerSeconds() - compiling)
                    / (server.cpuSeconds() + infrastructure.cpuSeconds() - cpu);
            if (share < COMPILED && round >= MIN_WARM_ROUNDS) {
                Console.note("warm after " + round + " rounds");
                return;
            }
        }
        Console.note(
                "the compiler is still busy: the figures that follow are worse than those of a platform that runs for longer");
    }

    /** The processor time, in seconds, that everything but the server itself has used: PostgreSQL, Kafka, the load generator. */
    double cpuSeconds() {
        return infrastructure.cpuSeconds() + load.cpuSeconds();
    }

    /** Waits until the tenants have arrived where launches are decided. */
    void awaitTenants() {
        var started = System.nanoTime();
        while (database.count("instances.project_app_entitlements") < Seeds.PROJECTS
                || database.count("instances.service_accounts") < Seeds.PROJECTS) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the tenants do not arrive");
            }
            LockSupport.parkNanos(200_000_000);
        }
    }

    /**
     * Waits until the outbox is published and the running services have applied all that is on the topics; answers how long that took,
     * in seconds.
     */
    @CanIgnoreReturnValue
    double settle(String services) {
        var started = System.nanoTime();
        var groups = List.of(services.split(",", -1));
        while (!database.texts("SELECT 1 FROM instances.outbox LIMIT 1").isEmpty()
                || Topic.lag(kafkaBootstrap, group -> groups.contains(group.split("\\.", -1)[0])) > 0) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the services do not catch up");
            }
            LockSupport.parkNanos(100_000_000);
        }
        return (System.nanoTime() - started) / 1e9;
    }

    Database database() {
        return database;
    }

    String kafkaBootstrap() {
        return kafkaBootstrap;
    }

    @Override
    public void close() {
        database.close();
        load.close();
        infrastructure.close();
    }
}
