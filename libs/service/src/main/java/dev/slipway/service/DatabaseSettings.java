package dev.slipway.service;

import dev.slipway.messaging.NotLetInException;
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
 * Where PostgreSQL is, and the administrator who may make each service its schema and roles.
 *
 * <p>A service's passwords are derived from the administrator's, so that every process that runs the service knows them and nobody
 * has to hand them out. They can't be turned back into the administrator's.
 */
public record DatabaseSettings(
        String uri, int poolSize, @Nullable String caFile) {
    /** The client would have longer ones than 2,048 characters parsed and planned each time, which costs more than to run them. */
    private static final int LONGEST_STATEMENT = 32 << 10;

    private static final Set<SslMode> VERIFYING = EnumSet.of(SslMode.VERIFY_CA, SslMode.VERIFY_FULL);

    private static final String NO_SUCH_DATABASE = "3D000";
    /** How the codes begin that speak of who connects. */
    private static final String NOT_LET_IN = "28";

    /** As the URI says, which is in the clear if it does not say. */
    public DatabaseSettings(String uri, int poolSize) {
        this(uri, poolSize, null);
    }

    /** What is wrong with the URI, for who set it; not the URI itself, which has a password in it. */
    public static @Nullable String fault(String uri, @Nullable String caFile) {
        try {
            var mode = PgConnectOptions.fromUri(uri).getSslMode();
            return caFile == null && VERIFYING.contains(mode)
                    ? "with sslmode=" + mode.value
                            + " needs SLIPWAY_DATABASE_CA_FILE: who signs the database's certificate"
                    : null;
        } catch (IllegalArgumentException e) {
            return "cannot be read: it has the form postgresql://user:password@host:port/database?sslmode=require";
        }
    }

    /** Without the password, for people. */
    public String place() {
        var options = administrator();
        return options.getHost() + ":" + options.getPort() + "/" + options.getDatabase();
    }

    /** Whether the administrator gets in; failed by a {@link NotLetInException} if never. */
    public Future<Void> tryConnection(Vertx vertx) {
        return PgConnection.connect(vertx, administrator())
                .compose(PgConnection::close)
                .recover(e -> Future.failedFuture(
                        e instanceof PgException said && isForGood(String.valueOf(said.getSqlState()))
                                ? new NotLetInException(said.getErrorMessage(), e)
                                : e));
    }

    private static boolean isForGood(String sqlState) {
        return sqlState.startsWith(NOT_LET_IN) || sqlState.equals(NO_SUCH_DATABASE);
    }

    PgConnectOptions administrator() {
        var options = PgConnectOptions.fromUri(uri);
        if (caFile != null) {
            options.setSslMode(SslMode.VERIFY_FULL)
                    .setSslOptions(new ClientSSLOptions()
                            .setTrustOptions(new PemTrustOptions().addCertPath(caFile))
                            .setHostnameVerificationAlgorithm("HTTPS"));
        } else if (options.getSslMode() != SslMode.DISABLE) {
            // Encrypted, and not verified: what these modes mean to every client of PostgreSQL.
            options.setSslOptions(new ClientSSLOptions().setTrustAll(true));
        }
        return options;
    }

    /** Connects as the service itself, which may only read and write its own tables. */
    PgConnectOptions runtime(String service) {
        var options = as(runtimeRole(service), service)
                // Nothing may wait for ever, whatever holds a lock or was left open by whom.
                .addProperty("statement_timeout", "10000")
                .addProperty("lock_timeout", "5000")
                .addProperty("idle_in_transaction_session_timeout", "30000")
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(256)
                .setPreparedStatementCacheSqlLimit(LONGEST_STATEMENT)
                .setPipeliningLimit(64);
        options.setMetricsName(service);
        return options;
    }

    PgConnectOptions owner(String service) {
        return as(ownerRole(service), service);
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

    String password(String role) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            var key = String.valueOf(administrator().getPassword()).getBytes(StandardCharsets.UTF_8);
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(role.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no HmacSHA256", e);
        }
    }

    private PgConnectOptions as(String role, String service) {
        return administrator()
                .setUser(role)
                .setPassword(password(role))
                .addProperty("search_path", schema(service))
                .addProperty("application_name", "slipway-" + service);
    }

    /** For the migrations' driver, which by itself encrypts where it can and speaks to anybody. */
    String jdbcUrl() {
        var url = "jdbc:postgresql://" + place() + "?sslmode=" + administrator().getSslMode().value;
        return caFile == null ? url : url + "&sslrootcert=" + URLEncoder.encode(caFile, StandardCharsets.UTF_8);
    }

    /** The tables of the frame come before the service's own. */
    static String[] migrations(String service) {
        return new String[] {
            "classpath:db/migration/messaging", "classpath:db/migration/service", "classpath:db/migration/" + service
        };
    }

    @Override
    public String toString() {
        return "DatabaseSettings[" + place() + "]";
    }
}
