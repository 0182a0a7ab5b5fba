package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.benchmarks.BenchEnvironment.RunningPlatform;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Measures the ingest of usage facts by topic and by API, and how soon they are rated. */
final class UsageBenchmark implements AutoCloseable {
    private static final int FACTS = 500_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int FACTS_PER_RECORD = 50;
    private static final int RESOURCES = 100;
    private static final int API_FACTS = Math.max(10_000, FACTS / 10);
    private static final int API_BATCH = 1_000;
    private static final double BAR = 20_000;
    /** Enough for the compiler: most of the code of the ingest runs once per fact. */
    private static final int WARMING_FACTS = FACTS / 2;

    private static final int PROBES = 300;
    /** The facts that are reported per second while the probes are rated. */
    private static final int FACTS_PER_SECOND = 2_000;

    private static final long TIMEOUT_NS = 600_000_000_000L;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;
    private final HttpClient http = HttpClient.newHttpClient();
    private final KafkaProducer<String, byte[]> producer;

    /** A project whose usage is reported, and the tokens of its reporter. */
    private record Reporter(int project, String apiToken, String reportToken) {}

    UsageBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        benchEnvironment.kafkaBootstrap(),
                        "linger.ms",
                        5,
                        "compression.type",
                        "lz4"),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    @Override
    public void close() {
        producer.close();
    }

    void measure() {
        try (var platform = benchEnvironment.platform(HttpBenchmark.ALL)) {
            benchEnvironment.awaitTenants();
            insertPrice();
            // Two projects of different organizations.
            var measured = reporter(platform, 0);
            var warming = reporter(platform, 1);
            send(warming, "topic", 0, WARMING_FACTS);
            await(WARMING_FACTS);
            var baseline = insertBaseline();
            var serverCpu = platform.process().cpuSeconds();
            var otherCpu = benchEnvironment.cpuSeconds();
            var started = System.nanoTime();
            send(measured, "topic", 0, FACTS);
            await(FACTS + WARMING_FACTS);
            var byTopic = FACTS / ((System.nanoTime() - started) / 1e9);
            serverCpu = (platform.process().cpuSeconds() - serverCpu) / FACTS * 1e6;
            otherCpu = (benchEnvironment.cpuSeconds() - otherCpu) / FACTS * 1e6;
            resultTable.add(new ResultTable.Row(
                    "usage facts by topic, each counted exactly once",
                    ResultTable.number(byTopic) + "/s",
                    "the same ids and quantities into one table with a unique key " + ResultTable.number(baseline)
                            + "/s",
                    ResultTable.number(byTopic / baseline),
                    "≥ " + ResultTable.number(BAR) + "/s",
                    ResultTable.isMet(byTopic >= BAR),
                    ResultTable.number(FACTS) + " facts, " + FACTS_PER_RECORD + " per record, with rating; "
                            + ResultTable.number(serverCpu) + " µs CPU per fact in the server, "
                            + ResultTable.number(otherCpu) + " in PostgreSQL and Kafka"));
            var byApi = post(platform, measured);
            resultTable.add(new ResultTable.Row(
                    "usage facts by API",
                    ResultTable.number(byApi) + "/s",
                    "by topic " + ResultTable.number(byTopic) + "/s",
                    ResultTable.number(byApi / byTopic),
                    "",
                    "",
                    "batches of " + API_BATCH + ", one connection"));
            var rating = System.nanoTime();
            while (benchEnvironment.database().count("metering.unrated_facts") > 0) {
                LockSupport.parkNanos(100_000_000);
            }
            BenchOutput.note("all facts are rated " + ResultTable.number((System.nanoTime() - rating) / 1e9)
                    + " s after the last one was counted");
            var milliseconds = rateProbes(measured);
            resultTable.add(new ResultTable.Row(
                    "fact sent → rated, p99",
                    ResultTable.number(milliseconds[PROBES * 99 / 100]) + " ms",
                    "",
                    "",
                    "",
                    "",
                    "by topic, " + ResultTable.number(FACTS_PER_SECOND) + " facts per second; half of them within "
                            + ResultTable.number(milliseconds[PROBES / 2]) + " ms"));
        }
    }

    /** Facts without a price have no amount. */
    private void insertPrice() {
        benchEnvironment.database().execute("""
                INSERT INTO metering.prices (id, unit, rating_category, scope, subject, version, currency, included, tiers,
                    snapshot_at_launch, valid_from, created_at, created_by)
                VALUES (gen_random_uuid(), 'token', 'inference', 'default', '', 1, 'EUR', 1000,
                    '{"items": [{"up_to": "1000000", "unit_price": "0.000002"}, {"up_to": null, "unit_price": "0.000001"}]}', false, '2020-01-01', now(), gen_random_uuid())
                ON CONFLICT DO NOTHING
                """);
    }

    /** Returns the sorted times from sending a fact until its line is rated, in milliseconds, while others are reported. */
    private double[] rateProbes(Reporter reporter) {
        var stopped = new AtomicBoolean();
        var load = CompletableFuture.runAsync(() -> {
            for (var first = 0; !stopped.get(); first += FACTS_PER_RECORD) {
                send(reporter, "load", first, FACTS_PER_RECORD);
                LockSupport.parkNanos(1_000_000_000L * FACTS_PER_RECORD / FACTS_PER_SECOND);
            }
        });
        var milliseconds = new double[PROBES];
        for (var probe = 0; probe < PROBES; probe++) {
            var started = System.nanoTime();
            send(reporter, "probe", probe, 1);
            var rated = """
                    metering.usage_fact_ids i WHERE source = '%s/probe' AND fact_id = 'fact-%d'
                    AND NOT EXISTS (SELECT FROM metering.unrated_facts u WHERE u.fact_key = i.fact_key)""".formatted(BenchSeeds.project(reporter.project), probe);
            while (benchEnvironment.database().count(rated) == 0) {
                LockSupport.parkNanos(2_000_000);
            }
            milliseconds[probe] = (System.nanoTime() - started) / 1e6;
        }
        stopped.set(true);
        load.join();
        Arrays.sort(milliseconds);
        return milliseconds;
    }

    /** Creates a service account that may report usage. */
    private Reporter reporter(RunningPlatform platform, int project) {
        var path = "/api/v1/projects/" + BenchSeeds.project(project) + "/service-accounts";
        var owner = platform.tokenFor(project);
        var body = Json.object().put("slug", "usage-" + Ids.next()).put("display_name", "Usage");
        body.putArray("allowed_actions").add("usage.report").add("usage.read");
        var account = call(platform, "POST", path, owner, body).path("id").asText();
        var credential = call(platform, "POST", path + "/" + account + "/credentials", owner, Json.object());
        var exchange = Json.object()
                .put("client_id", credential.path("credential_id").asText())
                .put("client_secret", credential.path("secret").asText());
        var tokens = "/api/v1/auth/service-account/token";
        var apiToken = call(platform, "POST", tokens, null, exchange)
                .path("access_token")
                .asText();
        var reportToken = call(platform, "POST", tokens, null, exchange.put("audience", "reports"))
                .path("access_token")
                .asText();
        return new Reporter(project, apiToken, reportToken);
    }

    private JsonNode call(
            RunningPlatform platform, String method, String path, @Nullable String token, ObjectNode body) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + platform.port() + path))
                .header("content-type", "application/json")
                .method(
                        method,
                        method.equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(Json.bytes(body)));
        if (token != null) {
            request.header("authorization", "Bearer " + token);
        }
        try {
            var response = http.send(request.build(), BodyHandlers.ofByteArray());
            if (response.statusCode() >= 300) {
                throw new IllegalStateException(path + ": " + response.statusCode() + " "
                        + new String(response.body(), StandardCharsets.UTF_8));
            }
            return Json.parseTrusted(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void send(Reporter reporter, String source, int from, int count) {
        for (var first = from; first < from + count; first += FACTS_PER_RECORD) {
            var payload = batch(source, first, Math.min(FACTS_PER_RECORD, from + count - first));
            var event = new Envelope(Ids.next(), "usage.facts.reported", Instant.now(), 1, "bench-usage", payload);
            var sent = new ProducerRecord<>("usage.facts", "bench-" + first, event.toBytes());
            sent.headers().add("authorization", ("Bearer " + reporter.reportToken).getBytes(StandardCharsets.UTF_8));
            var unused = producer.send(sent);
        }
        producer.flush();
    }

    /** Windows are spread over the last day, so that the sums by hour are realistic. */
    private static ObjectNode batch(String source, int first, int count) {
        var body = Json.object().put("source", source);
        var facts = body.putArray("facts");
        var hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
        for (var i = first; i < first + count; i++) {
            var end = hour.minusSeconds(3_600L * (i / 1_000 % 24) + i % 3_000);
            facts.addObject()
                    .put("id", "fact-" + i)
                    .put("unit", "token")
                    .put("quantity", String.valueOf(i % 1_000))
                    .put("window_start", end.minusSeconds(1).toString())
                    .put("window_end", end.toString())
                    .put("resource_type", "model")
                    .put("resource_id", "model-" + i % RESOURCES);
        }
        return body;
    }

    /** Waits for the sums, because counting the facts themselves every time would take as long as counting them once more. */
    private void await(long facts) {
        var database = benchEnvironment.database();
        var started = System.nanoTime();
        while (Long.parseLong(database.texts("SELECT coalesce(sum(facts), 0) FROM metering.usage_months")
                        .get(0))
                < facts) {
            if (System.nanoTime() - started > TIMEOUT_NS) {
                throw new IllegalStateException("the facts are not counted");
            }
            LockSupport.parkNanos(50_000_000);
        }
        if (database.count("metering.usage_fact_ids") != facts || database.count("metering.usage_facts") != facts) {
            throw new IllegalStateException("not every fact is counted exactly once");
        }
    }

    /** Returns how many rows per second one statement per 1,000 rows inserts into a table with the same unique key. */
    private double insertBaseline() {
        var database = benchEnvironment.database();
        database.execute(
                "CREATE TABLE IF NOT EXISTS public.usage_baseline (source text, fact_id text, quantity numeric, PRIMARY KEY (source, fact_id))");
        var started = System.nanoTime();
        for (var first = 0; first < FACTS; first += API_BATCH) {
            database.execute(
                    "INSERT INTO public.usage_baseline SELECT 'topic', 'fact-' || i, i %% 1000 FROM generate_series(%d, %d) AS i ON CONFLICT DO NOTHING"
                            .formatted(first, first + API_BATCH - 1));
        }
        return FACTS / ((System.nanoTime() - started) / 1e9);
    }

    private double post(RunningPlatform platform, Reporter reporter) {
        var started = System.nanoTime();
        for (var first = 0; first < API_FACTS; first += API_BATCH) {
            var accepted = call(
                            platform, "POST", "/api/v1/usage/facts", reporter.apiToken, batch("api", first, API_BATCH))
                    .at("/counts/accepted")
                    .asInt();
            if (accepted != API_BATCH) {
                throw new IllegalStateException(accepted + " facts accepted of " + API_BATCH);
            }
        }
        return API_FACTS / ((System.nanoTime() - started) / 1e9);
    }
}
