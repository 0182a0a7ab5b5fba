package dev.slipway.benchmarks;

import org.flywaydb.core.Flyway;

import java.net.URI;
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
    private static final List<String> COPIED = List.of(
            "organizations",
            "users",
            "projects",
            "service_accounts",
            "app_catalog",
            "app_versions",
            "project_app_entitlements");

    private final String jdbcUrl;
    private final String user;
    private final String password;
    private final Connection connection;

    BenchDatabase(String url) {
        var uri = URI.create(url);
        var credentials = uri.getUserInfo().split(":", 2);
        user = credentials[0];
        password = credentials[1];
        jdbcUrl = "jdbc:postgresql://" + uri.getHost() + ":" + uri.getPort() + uri.getPath();
        try {
            connection = DriverManager.getConnection(jdbcUrl, user, password);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Creates the same tables with the same migrations and tenants in a schema that no relay reads. */
    void createBaselineTables() {
        execute("DROP SCHEMA IF EXISTS baseline CASCADE; CREATE SCHEMA baseline");
        Flyway.configure()
                .dataSource(jdbcUrl, user, password)
                .defaultSchema("baseline")
                .locations(
                        "classpath:db/migration/messaging",
                        "classpath:db/migration/service",
                        "classpath:db/migration/instances")
                .load()
                .migrate();
        COPIED.forEach(table -> execute("INSERT INTO baseline." + table + " SELECT * FROM instances." + table));
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

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            BenchOutput.note("closing the connection: " + e);
        }
    }
}
