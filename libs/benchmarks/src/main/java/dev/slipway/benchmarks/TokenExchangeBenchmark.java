package dev.slipway.benchmarks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Measures token exchanges: one statement, a durable audit record and a signature each. */
final class TokenExchangeBenchmark {
    private static final String SECRET = "sws_for-the-benchmark-alone";
    private static final int COUNT = 3_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int PASSES = 3;
    private static final double MAX_SECONDS = 20;
    private static final double BAR = 300;

    private final BenchEnvironment benchEnvironment;
    private final ResultTable resultTable;

    TokenExchangeBenchmark(BenchEnvironment benchEnvironment, ResultTable resultTable) {
        this.benchEnvironment = benchEnvironment;
        this.resultTable = resultTable;
    }

    void measure() {
        try (var platform = benchEnvironment.platform(HttpBenchmark.ALL)) {
            benchEnvironment.awaitTenants();
            insertCredentials();
            var requests = exchanges();
            benchEnvironment.warmUpUntilCompiled(platform.process(), platform.port(), requests, COUNT);
            var perSecond = new double[PASSES];
            var p99Ms = new double[PASSES];
            for (var i = 0; i < PASSES; i++) {
                var settled = benchEnvironment.awaitIdle(HttpBenchmark.ALL);
                var result = benchEnvironment.load(platform.port(), requests, COUNT, MAX_SECONDS, 0);
                perSecond[i] = result.path("per_second").asDouble();
                p99Ms[i] = result.path("p99_us").asDouble() / 1_000;
                BenchOutput.note("exchange, pass " + (i + 1) + ": " + ResultTable.number(perSecond[i])
                        + "/s, settled in " + ResultTable.number(settled) + " s");
            }
            var rate = ResultTable.median(perSecond);
            resultTable.add(new ResultTable.Row(
                    "token exchange",
                    ResultTable.number(rate) + "/s",
                    "",
                    "",
                    "≥ " + ResultTable.number(BAR) + "/s",
                    ResultTable.isMet(rate >= BAR),
                    "p99 " + ResultTable.number(ResultTable.median(p99Ms))
                            + " ms from 48 connections; RS256, 2048 bits"));
        }
    }

    /** Gives the operator account of every project a credential under its own id. */
    private void insertCredentials() {
        benchEnvironment.database().execute("""
                INSERT INTO iam.credentials (id, owner_kind, owner_id, org_id, project_id, secret_hash)
                SELECT id, 'service_account', id, org_id, project_id, '\\x%s'::bytea FROM iam.service_accounts
                ON CONFLICT DO NOTHING
                """.formatted(sha256()));
    }

    private Path exchanges() {
        return benchEnvironment.requests(
                "exchanges",
                HttpBenchmark.lines(i -> "POST\t/api/v1/auth/service-account/token\tnone\t{\"client_id\":\""
                        + BenchSeeds.operator(i) + "\",\"client_secret\":\"" + SECRET + "\"}"));
    }

    private static String sha256() {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(SECRET.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
