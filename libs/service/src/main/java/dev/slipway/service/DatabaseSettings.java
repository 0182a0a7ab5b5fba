package dev.slipway.service;

import dev.slipway.messaging.ServerRejectedException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.pgclient.SslMode;
import org.jspecify.annotations.Nullable;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;

/**
 * The PostgreSQL server, and the administrator that creates the schema and roles of each service.
 *
 * <p>The passwords of the service roles are derived from the administrator's password, so that every process knows them and none have to
 * be distributed. The administrator's password cannot be computed from them.
 */
public record DatabaseSettings(
        String uri, int poolSize, @Nullable String caFile) {
    /** By default statements longer than 2,048 characters are not cached, and parsing and planning them costs more than running them. */
    private static final int MAX_CACHED_STATEMENT_LENGTH = 32 << 10;

    private static final Set<SslMode> VERIFYING_MODES = EnumSet.of(SslMode.VERIFY_CA, SslMode.VERIFY_FULL);

    private static final String NO_SUCH_DATABASE = "3D000";
    /** The class of SQLSTATE codes for a rejected login. */
    private static final String AUTHORIZATION_ERROR_CLASS = "28";

    /** Without a CA file: encrypted only if the URI requires it. */
    public DatabaseSettings(String uri, int poolSize) {
        this(uri, poolSize, null);
    }

    /** Returns the problem of the URI; null if valid. The text does not contain the URI, which includes a password. */
    public static @Nullable String validate(String uri, @Nullable String caFile) {
        try {
            var mode = PgConnectOptions.fromUri(uri).getSslMode();
            return caFile == null && VERIFYING_MODES.contains(mode)
                    ? "with sslmode=" + mode.value
                            + " needs SLIPWAY_DATABASE_CA_FILE: the certificate authority of the database"
                    : null;
        } catch (IllegalArgumentException e) {
            return "cannot be read: it has the form postgresql://user:password@host:port/database?sslmode=require";
        }
    }

    /** Returns host, port and database, without the password. */
    public String address() {
        var options = administratorOptions();
        return options.getHost() + ":" + options.getPort() + "/" + options.getDatabase();
    }

    /** Logs in as the administrator. Fails with a {@link ServerRejectedException} if retrying cannot help. */
    public Future<Void> tryConnection(Vertx vertx) {
        return PgConnection.connect(vertx, administratorOptions())
                .compose(PgConnection::close)
                .recover(e -> Future.failedFuture(
                        e instanceof PgException rejected && isPermanent(String.valueOf(rejected.getSqlState()))
                                ? new ServerRejectedException(rejected.getErrorMessage(), e)
                                : e));
    }

    private static boolean isPermanent(String sqlState) {
        return sqlState.startsWith(AUTHORIZATION_ERROR_CLASS) || sqlState.equals(NO_SUCH_DATABASE);
    }

    /** Returns the options of the administrator, who can create roles. For setting up roles with fewer rights only. */
    public PgConnectOptions administratorOptions() {
        var options = PgConnectOptions.fromUri(uri);
        if (caFile != null) {
            options.setSslMode(SslMode.VERIFY_FULL)
                    .setSslOptions(new ClientSSLOptions()
                            .setTrustOptions(new PemTrustOptions().addCertPath(caFile))
                            .setHostnameVerificationAlgorithm("HTTPS"));
        } else if (options.getSslMode() != SslMode.DISABLE) {
            // Encrypted, not verified: as these modes are defined by PostgreSQL.
            options.setSslOptions(new ClientSSLOptions().setTrustAll(true));
        }
        return options;
    }

    /** Returns the options of the runtime role, which can only read and write the tables of the service. */
    PgConnectOptions runtimeOptions(String service) {
        var options = optionsForRole(runtimeRole(service), service)
                // Every wait in the database is bounded.
                .addProperty("statement_timeout", "10000")
                .addProperty("lock_timeout", "5000")
                .addProperty("idle_in_transaction_session_timeout", "30000")
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(256)
                .setPreparedStatementCacheSqlLimit(MAX_CACHED_STATEMENT_LENGTH)
                .setPipeliningLimit(64);
        options.setMetricsName(service);
        return options;
    }

    PgConnectOptions ownerOptions(String service) {
        return optionsForRole(ownerRole(service), service);
    }

    static String schema(String service) {
        return service.replace('-', '_');
    }

    static String runtimeRole(String service) {
        return "slipway_" + schema(service);
    }

    static String ownerRole(String service) {
        return runtimeRole(service) + "_owner";
    }

    /** Returns the password of a role that the platform creates. */
    public String password(String role) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            var key = String.valueOf(administratorOptions().getPassword()).getBytes(StandardCharsets.UTF_8);
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(role.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
    }

    private PgConnectOptions optionsForRole(String role, String service) {
        return administratorOptions()
                .setUser(role)
                .setPassword(password(role))
                .addProperty("search_path", schema(service))
                .addProperty("application_name", "slipway-" + service);
    }

    /** The JDBC driver of the migrations does not verify the server by default. */
    String jdbcUrl() {
        var url = "jdbc:postgresql://" + address() + "?sslmode="
                + administratorOptions().getSslMode().value;
        return caFile == null ? url : url + "&sslrootcert=" + URLEncoder.encode(caFile, StandardCharsets.UTF_8);
    }

    /** The tables of the libraries come before those of the service. */
    static String[] migrations(String service) {
        return new String[] {
            "classpath:db/migration/messaging", "classpath:db/migration/service", "classpath:db/migration/" + service
        };
    }

    @Override
    public String toString() {
        return "DatabaseSettings[" + address() + "]";
    }
}
