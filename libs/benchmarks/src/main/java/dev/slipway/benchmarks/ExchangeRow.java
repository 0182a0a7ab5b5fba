package dev.slipway.benchmarks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Credentials exchanged for tokens: one statement, an audit record that is durable, and a signature. */
final class ExchangeRow {
    private static final String SECRET = "sws_for-the-benchmark-alone";
    private static final int COUNT = 3_000 * Integer.getInteger("bench.scale", 100) / 100;
    private static final int PASSES = 3;
    private static final double MAX_SECONDS = 20;
    private static final double BAR = 300;

    private final Stage stage;
    private final Table table;

    ExchangeRow(Stage stage, Table table) {
        this.stage = stage;
        this.table = table;
    }

    void measure() {
        try (var platform = stage.platform(HttpRows.ALL)) {
            stage.awaitTenants();
            giveCredentials();
            var requests = exchanges();
            stage.warmUntilCompiled(platform.process(), platform.port(), requests, COUNT);
            var perSecond = new double[PASSES];
            var p99Ms = new double[PASSES];
            for (var i = 0; i < PASSES; i++) {
                var settled = stage.settle(HttpRows.ALL);
                var result = stage.load(platform.port(), requests, COUNT, MAX_SECONDS, 0);
                perSecond[i] = result.path("per_second").asDouble();
                p99Ms[i] = result.path("p99_us").asDouble() / 1_000;
                Console.note("exchange, pass " + (i + 1) + ": " + Table.number(perSecond[i]) + "/s, settled in "
                        + Table.number(settled) + " s");
            }
            var rate = Table.median(perSecond);
            table.add(new Table.Row(
                    "token exchange",
                    Table.number(rate) + "/s",
                    "",
                    "",
                    "≥ " + Table.number(BAR) + "/s",
                    Table.met(rate >= BAR),
                    "p99 " + Table.number(Table.median(p99Ms)) + " ms from 48 connections; RS256, 2048 bits"));
        }
    }

    /** Every project's operator account gets one, under its own id. */
    private void giveCredentials() {
        stage.database().execute("""
                INSERT INTO iam.credentials (id, owner_kind, owner_id, org_id, project_id, secret_hash)
                SELECT id, 'service_account', id, org_id, project_id, '\\x%s'::bytea FROM iam.service_accounts
                ON CONFLICT DO NOTHING
                """.formatted(sha256()));
    }

    private Path exchanges() {
        return stage.requests(
                "exchanges",
                HttpRows.lines(i -> "POST\t/api/v1/auth/service-account/token\tnone\t{\"client_id\":\""
                        + Seeds.operator(i) + "\",\"client_secret\":\"" + SECRET + "\"}"));
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
