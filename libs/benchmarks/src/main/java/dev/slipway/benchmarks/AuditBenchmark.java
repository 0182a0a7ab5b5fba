package dev.slipway.benchmarks;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.service.AuditResult;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Measures appends to the audit logs, the age of their signed heads, and lookups by correlation id in a small and a large archive. */
final class AuditBenchmark {
    private static final int SCALE = Integer.getInteger("bench.scale", 100);
    private static final int ENTRIES = 60_000 * SCALE / 100;
    private static final int SMALL_ROWS = 10_000;
    private static final int LARGE_ROWS = Math.max(SMALL_ROWS * 2, 100_000 * SCALE);
    private static final int LOOKUPS = 5_000 * SCALE / 100;
    private static final int MUTATIONS = 2_000 * SCALE / 100;
    private static final int PASSES = 3;
    /** With the catalog: launches are refused once its policy data is too old. */
    private static final String WITHOUT_AUDIT = HttpBenchmark.PATH + ",catalog";

    private static final String AUDIT_WRITE = "indicator=\"audit_write\"";
    private static final String WITH_AUDIT = WITHOUT_AUDIT + ",audit";
    /** The archive has a partition per month; a lookup by correlation id does not know the month. */
    private static final int MONTHS = 12;

    private static final double MAX_SECONDS = 20;
    private static final long TIMEOUT_NS = TimeUnit.MINUTES.toNanos(10);
    private static final double APPENDS_BAR = 3_000;
    private static final double SIGNED_BAR_SECONDS = 1;
    private static final double WRITE_QUANTILE = 0.99;
    /** The buckets of the histogram, in seconds, up to the bar. */
    private static final List<String> WRITE_BUCKETS = List.of("0.005", "0.02", "0.05");

    /** Well below the capacity: the row measures the write, not the queue in front of the database. */
    private static final int WRITE_RATE = 100;

    private static final double LOOKUP_BAR = 2;
    private static final String SIGNED_AFTER = """
            SELECT percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM c.signed_at - e.recorded_at))
            FROM audit.log_entries e JOIN LATERAL (SELECT signed_at FROM audit.log_checkpoints c
                WHERE c.log_id = e.log_id AND c.size > e.sequence ORDER BY c.size LIMIT 1) c ON true
            WHERE e.action = 'bench.append'
            """;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;

    AuditBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var ignored = benchEnvironment.platform(HttpBenchmark.ALL)) {
            benchEnvironment.awaitTenants(); // which the catalog publishes
        }
        var without = measureMutations(WITHOUT_AUDIT);
        var with = measureMutations(WITH_AUDIT);
        resultTable.add(new ResultTable.Row(
                "share of audit in the cost of a mutation",
                ResultTable.number((with - without) / with * 100) + " %",
                "",
                "",
                "",
                "",
                "POST an instance " + ResultTable.number(with) + " µs CPU in all processes, without the audit service "
                        + ResultTable.number(without) + " µs; the audit record in the transaction counts as mutation"));
        try (var platform = benchEnvironment.platform(HttpBenchmark.ALL)) {
            benchEnvironment.awaitTenants();
            benchEnvironment.awaitIdle(HttpBenchmark.ALL);
            BenchOutput.note("warm-up: " + ResultTable.number(append(ENTRIES / 10)) + " appends/s");
            var plain = plainInserts();
            var appends = append(ENTRIES);
            var share = appends / plain;
            resultTable.add(new ResultTable.Row(
                    "provable appends to audit logs",
                    ResultTable.number(appends) + "/s",
                    "the same payloads inserted into one table " + ResultTable.number(plain) + "/s",
                    ResultTable.number(share),
                    "≥ " + ResultTable.number(APPENDS_BAR) + "/s",
                    ResultTable.isMet(appends >= APPENDS_BAR),
                    ENTRIES + " records over " + BenchSeeds.ORGANIZATIONS
                            + " logs, from the topic to log and archive with hash, tree and indexes"));
            measureWrites(platform);
            awaitSigned();
            var signed = Double.parseDouble(
                    benchEnvironment.database().texts(SIGNED_AFTER).get(0));
            resultTable.add(new ResultTable.Row(
                    "append → signed head, p99",
                    ResultTable.number(signed * 1_000) + " ms",
                    "",
                    "",
                    "≤ 1 s",
                    ResultTable.isMet(signed <= SIGNED_BAR_SECONDS),
                    "during these appends"));
            lookups(platform);
        }
    }

    /** Returns the processor time of a launch in all processes, in microseconds, including everything that follows it. */
    private double measureMutations(String services) {
        try (var platform = benchEnvironment.platform(services)) {
            benchEnvironment.awaitTenants();
            benchEnvironment.awaitIdle(services);
            var requests = benchEnvironment.requests(
                    "mutations",
                    HttpBenchmark.lines(i -> "POST\t/api/v1/projects/" + BenchSeeds.project(i) + "/app-instances\t"
                            + platform.tokenFor(i) + "\t" + BenchSeeds.launch()));
            for (var i = 0; i < PASSES; i++) {
                benchEnvironment.warmUp(platform.port(), requests, MUTATIONS, MAX_SECONDS, 0);
            }
            var costs = new double[PASSES];
            for (var i = 0; i < PASSES; i++) {
                benchEnvironment.awaitIdle(services);
                var before = benchEnvironment.cpuSeconds() + platform.process().cpuSeconds();
                var completed = benchEnvironment
                        .load(platform.port(), requests, MUTATIONS, MAX_SECONDS, 0)
                        .path("completed")
                        .asDouble();
                benchEnvironment.awaitIdle(services);
                costs[i] = (benchEnvironment.cpuSeconds() + platform.process().cpuSeconds() - before) * 1e6 / completed;
            }
            return ResultTable.median(costs);
        }
    }

    /** Reads the time of the commits from the histogram that the objective audit-write is computed from. */
    private void measureWrites(BenchEnvironment.RunningPlatform platform) {
        var requests = benchEnvironment.requests(
                "audit-writes",
                HttpBenchmark.lines(i -> "POST\t/api/v1/projects/" + BenchSeeds.project(i) + "/app-instances\t"
                        + platform.tokenFor(i) + "\t" + BenchSeeds.launch()));
        benchEnvironment.warmUp(platform.port(), requests, MUTATIONS, MAX_SECONDS, WRITE_RATE);
        benchEnvironment.awaitIdle(HttpBenchmark.ALL);
        var before = WRITE_BUCKETS.stream()
                .mapToDouble(bucket -> writesWithin(platform, bucket))
                .toArray();
        var writesBefore = platform.metric("slipway_indicator_seconds_count", AUDIT_WRITE);
        var completed = benchEnvironment
                .load(platform.port(), requests, MUTATIONS, MAX_SECONDS, WRITE_RATE)
                .path("completed")
                .asInt();
        var writes = platform.metric("slipway_indicator_seconds_count", AUDIT_WRITE) - writesBefore;
        var shares = new double[WRITE_BUCKETS.size()];
        for (var i = 0; i < shares.length; i++) {
            shares[i] = (writesWithin(platform, WRITE_BUCKETS.get(i)) - before[i]) / writes;
        }
        var first = 0;
        while (first < shares.length && shares[first] < WRITE_QUANTILE) {
            first++;
        }
        resultTable.add(new ResultTable.Row(
                "audit record of a mutation, p99",
                first < shares.length
                        ? "≤ " + ResultTable.number(Double.parseDouble(WRITE_BUCKETS.get(first)) * 1_000) + " ms"
                        : "> 50 ms",
                "",
                "",
                "≤ 50 ms",
                ResultTable.isMet(first < shares.length),
                completed + " launches, " + WRITE_RATE + " a second; commit of a change with its audit record: "
                        + ResultTable.number(shares[shares.length - 1] * 100) + " % within 50 ms, "
                        + ResultTable.number(shares[0] * 100) + " % within 5 ms"));
    }

    private static double writesWithin(BenchEnvironment.RunningPlatform platform, String seconds) {
        return platform.metric("slipway_indicator_seconds_bucket", AUDIT_WRITE, "le=\"" + seconds + "\"");
    }

    private void lookups(BenchEnvironment.RunningPlatform platform) {
        fillArchive("small", SMALL_ROWS);
        var small = lookup(platform, "small", SMALL_ROWS);
        fillArchive("large", LARGE_ROWS - SMALL_ROWS);
        var large = lookup(platform, "large", LARGE_ROWS - SMALL_ROWS);
        resultTable.add(new ResultTable.Row(
                "correlation lookup in a large archive, p99",
                ResultTable.number(large) + " ms",
                "with " + SMALL_ROWS + " rows " + ResultTable.number(small) + " ms",
                ResultTable.number(large / small) + " ×",
                "≤ 2 ×",
                ResultTable.isMet(large / small <= LOOKUP_BAR),
                LARGE_ROWS + " rows"));
    }

    private double lookup(BenchEnvironment.RunningPlatform platform, String name, int rows) {
        var lines = new ArrayList<String>();
        for (var i = 0; i < BenchSeeds.PROJECTS; i++) {
            var row = i * 7_919L % (rows / BenchSeeds.PROJECTS) * BenchSeeds.PROJECTS + i;
            lines.add("GET\t/api/v1/correlations/bench-" + name + "-" + row + "\t" + platform.tokenFor(i) + "\t");
        }
        var requests = requests(name, lines);
        benchEnvironment.warmUpUntilCompiled(platform.process(), platform.port(), requests, LOOKUPS);
        return benchEnvironment
                        .load(platform.port(), requests, LOOKUPS, MAX_SECONDS, 0)
                        .path("p99_us")
                        .asDouble()
                / 1_000;
    }

    private Path requests(String name, List<String> lines) {
        return benchEnvironment.requests("correlations-" + name, lines);
    }

    /** Event {@code n} belongs to project {@code n % PROJECTS}. The events are spread over a year. */
    private void fillArchive(String name, int rows) {
        benchEnvironment.database().execute("""
                SELECT audit.create_archive_partition((now() - make_interval(months => n))::date) FROM generate_series(1, %d) n
                """.formatted(MONTHS));
        var ids = new ArrayList<String>();
        for (var i = 0; i < BenchSeeds.PROJECTS; i++) {
            ids.add("('" + BenchSeeds.organization(i % BenchSeeds.ORGANIZATIONS) + "'::uuid,'" + BenchSeeds.project(i)
                    + "'::uuid," + i + ")");
        }
        benchEnvironment.database().execute("""
                INSERT INTO audit.events (event_id, title, occurred_at, correlation_id, trace_id, org_id, project_id, payload)
                SELECT gen_random_uuid(), 'bench.event', now() - make_interval(days => n %% 360), 'bench-%s-' || n, null, p.org_id, p.project_id, '{"value": "x"}'::jsonb
                FROM generate_series(0, %d) n JOIN (VALUES %s) AS p(org_id, project_id, i) ON p.i = n %% %d
                """.formatted(name, rows - 1, String.join(",", ids), BenchSeeds.PROJECTS));
        benchEnvironment.database().execute("ANALYZE audit.events");
        BenchOutput.note(explain(name));
    }

    /** Returns the plan of the largest part of a lookup. */
    private String explain(String name) {
        return String.join("\n", benchEnvironment.database().texts("""
                EXPLAIN (ANALYZE, BUFFERS) SELECT event_id FROM audit.events WHERE correlation_id = 'bench-%s-17'
                ORDER BY occurred_at, event_id LIMIT 100
                """.formatted(name)));
    }

    private double append(int entries) {
        var before = appended();
        try (var producer = new KafkaProducer<String, byte[]>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                benchEnvironment.kafkaBootstrap(),
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                StringSerializer.class,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                ByteArraySerializer.class,
                ProducerConfig.LINGER_MS_CONFIG,
                5))) {
            for (var i = 0; i < entries; i++) {
                var ignored = producer.send(record(i));
            }
            producer.flush();
        }
        var started = System.nanoTime();
        var at = appended();
        while (appended() < before + entries) {
            if (System.nanoTime() - started > TIMEOUT_NS) {
                throw new IllegalStateException(
                        "only " + (appended() - before) + " of " + entries + " records were appended");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        // What was appended while the records were sent does not count.
        return (before + entries - at) * 1e9 / (System.nanoTime() - started);
    }

    private void awaitSigned() {
        var started = System.nanoTime();
        while (benchEnvironment.database().count("audit.log_unsigned_heads") > 0
                && System.nanoTime() - started < TIMEOUT_NS) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private long appended() {
        return Long.parseLong(benchEnvironment
                .database()
                .texts("SELECT coalesce(sum(size), 0) FROM audit.log_heads")
                .get(0));
    }

    private double plainInserts() {
        var database = benchEnvironment.database();
        database.execute("CREATE TABLE public.bench_plain (id uuid PRIMARY KEY, payload jsonb NOT NULL)");
        var rows = ENTRIES / 10;
        var started = System.nanoTime();
        for (var i = 0; i < rows; i += 500) {
            var values = new ArrayList<String>();
            for (var j = 0; j < 500; j++) {
                values.add("('" + Ids.next() + "','" + Json.text(envelope(i + j).payload()) + "')");
            }
            database.execute("INSERT INTO public.bench_plain (id, payload) VALUES " + String.join(",", values));
        }
        return rows * 1e9 / (System.nanoTime() - started);
    }

    private static ProducerRecord<String, byte[]> record(int number) {
        var envelope = envelope(number);
        return new ProducerRecord<>(
                "audit.events", envelope.payload().path("org_id").asText(), envelope.toBytes());
    }

    private static Envelope envelope(int number) {
        var payload = Json.object()
                .put("action", "bench.append")
                .put("target_type", "app_instance")
                .put("target_id", "target-" + number)
                .put(
                        "org_id",
                        BenchSeeds.organization(number % BenchSeeds.ORGANIZATIONS)
                                .toString())
                .putNull("project_id")
                .put("result", AuditResult.SUCCESS.text())
                .putNull("reason");
        payload.putObject("actor")
                .put("principal_id", BenchSeeds.owner(0).toString())
                .put("actor_type", "user")
                .put("display_name", "Bench");
        payload.putObject("metadata").put("app_slug", "echo");
        return new Envelope(Ids.next(), "audit.recorded", Instant.now(), 1, "bench-append-" + number, payload);
    }
}
