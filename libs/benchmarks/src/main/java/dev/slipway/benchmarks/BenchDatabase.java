package dev.slipway.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Queries the platform's database directly, and creates the tables of the baseline. */
final class BenchDatabase implements AutoCloseable {
    private static final List<String> MIGRATIONS = List.of(
            "messaging/V000_1__outbox_and_inbox.sql",
            "service/V000_2__idempotency.sql",
            "instances/V001__projections.sql",
            "instances/V002__app_instances.sql",
            "instances/V020__policy.sql",
            "instances/V030__revoked_digests.sql",
            "instances/V040__history_and_commands.sql",
            "instances/V041__adapters.sql",
            "instances/V042__freshness.sql",
            "instances/V043__traces_of_commands.sql",
            "instances/V050__operations.sql",
            "instances/V051__upgrades_and_plans.sql",
            "instances/V060__who_did_it.sql",
            "instances/V061__members.sql",
            "instances/V070__registry_versions.sql",
            "instances/V080__artifacts_of_versions.sql",
            "instances/V081__due_by_backend.sql",
            "instances/V082__known_facts.sql");
    private static final List<String> COPIED = List.of(
            "organizations",
            "users",
            "projects",
            "service_accounts",
            "app_catalog",
            "app_versions",
            "project_app_entitlements");

    private final Connection connection;

    BenchDatabase(String url) {
        var uri = URI.create(url);
        var user = uri.getUserInfo().split(":", 2);
        try {
            connection = DriverManager.getConnection(
                    "jdbc:postgresql://" + uri.getHost() + ":" + uri.getPort() + uri.getPath(), user[0], user[1]);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates the same tables with the same migrations and tenants in a schema that no relay reads. */
    void createBaselineTables() {
        execute("DROP SCHEMA IF EXISTS baseline CASCADE; CREATE SCHEMA baseline; SET search_path = baseline");
        MIGRATIONS.forEach(file -> execute(resource("/db/migration/" + file)));
        COPIED.forEach(table -> execute("INSERT INTO " + table + " SELECT * FROM instances." + table));
        execute("SET search_path = public");
    }

    /** Empties the baseline's outbox, as the relay does with the platform's between passes. */
    void truncateBaselineOutbox() {
        execute("TRUNCATE baseline.outbox");
    }

    /** Returns the commit times by the text in the first column. */
    Map<String, Instant> commits(String sql) {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var times = new HashMap<String, Instant>();
            while (rows.next()) {
                times.put(rows.getString(1), rows.getTimestamp(2).toInstant());
            }
            return times;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long count(String from) {
        return Long.parseLong(texts("SELECT count(*) FROM " + from).get(0));
    }

    /** Returns the first column. */
    List<String> texts(String sql) {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var texts = new ArrayList<String>();
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    void execute(String sql) {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static String resource(String name) {
        try (var in = BenchDatabase.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            BenchOutput.note("closing the connection: " + e);
        }
    }
}
