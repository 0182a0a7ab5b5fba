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

/** Starts Kafka, PostgreSQL, the load generator and, on demand, the platform, each as a separate process. */
final class BenchEnvironment implements AutoCloseable {
    /** The JVM options of the `slipway` command; the baseline has the same. */
    static final List<String> JVM =
            List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:MetaspaceSize=96m", "-XX:MaxMetaspaceSize=192m", "-Xss512k");

    /** The JVM options of Kafka's own start script: pauses of a stop-the-world collector would distort every event latency. */
    private static final List<String> BROKER_JVM =
            List.of("-Xmx512m", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35");

    private static final int CONNECTIONS = 48;
    private static final long SETTLE_NS = 180_000_000_000L;
    private static final long WARM_NS = 300_000_000_000L;
    private static final double WARM_ROUND_SECONDS = 20;
    private static final int MIN_WARM_ROUNDS = 3;
    /** Measuring starts when the JIT compiler uses less than this share of the processor time. */
    private static final double COMPILED = 0.04;

    private final Path directory;
    private final String profile;
    private final MeasuredProcess infrastructure;
    private final MeasuredProcess load;
    private final String kafkaBootstrap;
    private final BenchDatabase benchDatabase;
    private final String databaseUrl;
    private int platforms;

    BenchEnvironment(Path directory, String profile) {
        this.directory = directory;
        this.profile = profile;
        infrastructure = MeasuredProcess.java(
                "infrastructure",
                directory,
                BROKER_JVM,
                EmbeddedMain.class,
                directory.resolve("data").toString());
        var addresses = infrastructure.readReply();
        kafkaBootstrap = addresses.path("kafka_bootstrap").asText();
        databaseUrl = addresses.path("database_url").asText();
        benchDatabase = new BenchDatabase(databaseUrl);
        load = MeasuredProcess.java(
                "load", directory, List.of("-Xmx128m", "-XX:+UseSerialGC"), LoadGeneratorMain.class);
    }

    /** A running platform and the tokens of its tenants' owners. */
    record RunningPlatform(MeasuredProcess process, int port, int managementPort, List<String> tokens)
            implements AutoCloseable {
        @Override
        public void close() {
            process.close();
        }

        /** Returns the value of a metric with the given name and labels. */
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

    RunningPlatform platform(String services) {
        var jvm = new ArrayList<>(JVM);
        platforms++;
        if (!profile.isEmpty()) {
            jvm.add("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=" + profile + "/"
                    + directory.getFileName() + "-" + platforms + ".jfr");
        }
        var process = MeasuredProcess.java(
                "platform",
                directory,
                jvm,
                PlatformMain.class,
                directory.resolve("home").toString(),
                kafkaBootstrap,
                databaseUrl,
                services);
        var answer = process.readReply();
        var tokens = StreamSupport.stream(answer.path("tokens").spliterator(), false)
                .map(JsonNode::asText)
                .toList();
        return new RunningPlatform(
                process,
                answer.path("port").asInt(),
                answer.path("management_port").asInt(),
                tokens);
    }

    MeasuredProcess baseline(String eventSizes) {
        return MeasuredProcess.java("baseline", directory, JVM, BaselineMain.class, databaseUrl, eventSizes);
    }

    /** Writes the requests to a file for the load generator: method, path, token and body of each. */
    Path requests(String name, List<String> lines) {
        try {
            return Files.write(directory.resolve(name), lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends the requests over 48 connections, for at most the given time; a rate of 0 sends as fast as responses arrive. A failed
     * request fails the benchmark.
     */
    JsonNode load(int port, Path requests, int count, double seconds, int rate) {
        var result = warmUp(port, requests, count, seconds, rate);
        if (result.path("failed").asInt() > 0) {
            throw new IllegalStateException("requests failed: " + result);
        }
        return result;
    }

    /** Like {@link #load}, but requests may fail: a cold start on a busy machine can exceed a timeout. */
    @CanIgnoreReturnValue
    JsonNode warmUp(int port, Path requests, int count, double seconds, int rate) {
        return load.send(Json.object()
                .put("port", port)
                .put("requests", requests.toString())
                .put("connections", CONNECTIONS)
                .put("count", count)
                .put("seconds", seconds)
                .put("rate", rate));
    }

    /** Sends requests until the JIT compilers of server and broker are almost idle: until then, much of the processor time is theirs. */
    void warmUpUntilCompiled(MeasuredProcess server, int port, Path requests, int perRound) {
        warmUpUntilCompiled(server, () -> warmUp(port, requests, perRound, WARM_ROUND_SECONDS, 0));
    }

    void warmUpUntilCompiled(MeasuredProcess server, Runnable load) {
        var started = System.nanoTime();
        for (var round = 1; System.nanoTime() - started < WARM_NS; round++) {
            var cpu = server.cpuSeconds() + infrastructure.cpuSeconds();
            var compiling = server.compilerSeconds() + infrastructure.compilerSeconds();
            load.run();
            var share = (server.compilerSeconds() + infrastructure.compilerSeconds() - compiling)
                    / (server.cpuSeconds() + infrastructure.cpuSeconds() - cpu);
            if (share < COMPILED && round >= MIN_WARM_ROUNDS) {
                BenchOutput.note("warm after " + round + " rounds");
                return;
            }
        }
        BenchOutput.note(
                "the compiler is still busy: the figures that follow are worse than those of a platform that runs for longer");
    }

    /** Returns the processor time in seconds of all other processes: PostgreSQL, Kafka and the load generator. */
    double cpuSeconds() {
        return infrastructure.cpuSeconds() + load.cpuSeconds();
    }

    /** Returns the processor time of Kafka's JVM in seconds. */
    double brokerCpuSeconds() {
        return infrastructure.ownCpuSeconds();
    }

    /** Returns the processor time of PostgreSQL in seconds, including that of connections which have ended. */
    double databaseCpuSeconds() {
        return infrastructure.cpuSeconds() - infrastructure.ownCpuSeconds();
    }

    /** Waits until the tenants are replicated to the instances service. */
    void awaitTenants() {
        var started = System.nanoTime();
        while (benchDatabase.count("instances.project_app_entitlements") < BenchSeeds.PROJECTS
                || benchDatabase.count("instances.service_accounts") < BenchSeeds.PROJECTS) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the tenants do not arrive");
            }
            LockSupport.parkNanos(200_000_000);
        }
    }

    /** Waits until the outbox is published and all consumers have caught up; returns the duration in seconds. */
    @CanIgnoreReturnValue
    double awaitIdle(String services) {
        var started = System.nanoTime();
        var groups = List.of(services.split(",", -1));
        while (!benchDatabase.texts("SELECT 1 FROM instances.outbox LIMIT 1").isEmpty()
                || TopicReader.lag(kafkaBootstrap, group -> groups.contains(group.split("\\.", -1)[0])) > 0) {
            if (System.nanoTime() - started > SETTLE_NS) {
                throw new IllegalStateException("the services do not catch up");
            }
            LockSupport.parkNanos(100_000_000);
        }
        return (System.nanoTime() - started) / 1e9;
    }

    BenchDatabase database() {
        return benchDatabase;
    }

    String kafkaBootstrap() {
        return kafkaBootstrap;
    }

    @Override
    public void close() {
        benchDatabase.close();
        load.close();
        infrastructure.close();
    }
}
