package dev.slipway.testkit;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;

/** A new database on the shared server, for one test class. */
public record FreshDatabase(String url) implements AutoCloseable {

    public static FreshDatabase create() {
        return createFrom("template1");
    }

    /** Returns a new database with the schemas and rows of this one, to which nothing may be connected. */
    public FreshDatabase copy() {
        return createFrom(name());
    }

    private static FreshDatabase createFrom(String template) {
        var server = URI.create(TestInfrastructure.shared().databaseUrl());
        var name = "t_" + UUID.randomUUID().toString().replace("-", "");
        execute(server, "CREATE DATABASE " + name + " TEMPLATE " + template);
        // The shared server is never killed, so no commit has to wait for the disk.
        execute(server, "ALTER DATABASE " + name + " SET synchronous_commit = off");
        return new FreshDatabase(server.toString().replaceFirst("/[^/]+$", "/" + name));
    }

    @Override
    public void close() {
        execute(URI.create(TestInfrastructure.shared().databaseUrl()), "DROP DATABASE " + name() + " WITH (FORCE)");
    }

    private String name() {
        return url.substring(url.lastIndexOf('/') + 1);
    }

    /** Returns the URL of a new database user with all rights in this database and the given right beyond it. */
    public String urlOfNewUser(String password, String right) {
        var user = "user_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE ROLE " + user + " LOGIN PASSWORD '" + password + "' " + right);
        execute("GRANT ALL ON DATABASE " + name() + " TO " + user);
        return url.replaceFirst("//[^@]+@", "//" + user + ":" + password + "@");
    }

    /** Runs SQL as the administrator. */
    public void execute(String sql) {
        execute(URI.create(url), sql);
    }

    /** Keeps all others from reading and writing a table, until the lock is closed. */
    public OpenTransaction lock(String table) {
        return begin("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    }

    /** Runs SQL in a transaction that keeps its locks until it is closed, and is then rolled back. */
    public OpenTransaction begin(String sql) {
        try {
            var connection = connect(URI.create(url));
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute(sql);
            }
            return new OpenTransaction(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** A transaction that holds locks. */
    public record OpenTransaction(Connection connection) implements AutoCloseable {
        public void commit() {
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException("cannot commit", e);
            }
        }

        @Override
        public void close() {
            try (connection) {
                connection.rollback();
            } catch (SQLException e) {
                throw new IllegalStateException("cannot roll back", e);
            }
        }
    }

    /** Returns the first column of the first row. */
    public String query(String sql) {
        var uri = URI.create(url);
        try (var connection = connect(uri);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "";
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static void execute(URI uri, String sql) {
        try (var connection = connect(uri);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static java.sql.Connection connect(URI uri) throws SQLException {
        var user = uri.getUserInfo().split(":", 2);
        return DriverManager.getConnection(
                "jdbc:postgresql://" + uri.getHost() + ":" + uri.getPort() + uri.getPath(), user[0], user[1]);
    }
}
