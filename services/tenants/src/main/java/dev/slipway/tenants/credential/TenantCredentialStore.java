package dev.slipway.tenants.credential;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of the credentials of tenants. Passwords are not stored. */
public final class TenantCredentialStore {
    private static final TableColumns COLUMNS = TableColumns.of(
            "tenant_credentials", "credential_id", "tenant_id", "username", "access", "expires_at", "created_at");
    private static final String LIST = COLUMNS.select() + """
            WHERE tenant_id = $1 AND expires_at > $2 ORDER BY created_at DESC, credential_id DESC
            """;
    private static final String FIND = COLUMNS.select() + """
            WHERE tenant_id = $1 AND credential_id = $2
            """;
    private static final String LIST_EXPIRED = COLUMNS.select() + """
            WHERE expires_at <= $1 ORDER BY expires_at LIMIT 100
            """;
    private static final String COUNT =
            "SELECT count(*) AS credentials FROM tenant_credentials WHERE tenant_id = $1 AND expires_at > $2";
    private static final String INSERT = COLUMNS.insert();
    private static final String DELETE = "DELETE FROM tenant_credentials WHERE credential_id = $1";

    private final SqlClient reads;

    /** The rights of a credential. */
    enum CredentialAccess implements TextEnum {
        READ,
        WRITE
    }

    /** A credential; the JSON of responses has the same fields. */
    record TenantCredential(
            UUID id, UUID tenantId, String username, CredentialAccess access, Instant expiresAt, Instant createdAt) {}

    public TenantCredentialStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<List<TenantCredential>> list(UUID tenantId, Instant now) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(tenantId, SqlTime.of(now)))
                .map(TenantCredentialStore::credentials);
    }

    Future<List<TenantCredential>> listExpired(Instant now) {
        return reads.preparedQuery(LIST_EXPIRED)
                .execute(Tuple.of(SqlTime.of(now)))
                .map(TenantCredentialStore::credentials);
    }

    Future<@Nullable TenantCredential> find(UnitOfWork unit, UUID tenantId, UUID credentialId) {
        return unit.query(FIND, Tuple.of(tenantId, credentialId))
                .map(rows -> rows.size() == 0 ? null : credentials(rows).get(0));
    }

    Future<Long> count(UnitOfWork unit, UUID tenantId) {
        return unit.query(COUNT, Tuple.of(tenantId, SqlTime.of(unit.now())))
                .map(rows -> rows.iterator().next().getLong("credentials"));
    }

    void insert(UnitOfWork unit, TenantCredential credential) {
        unit.insert(
                INSERT,
                Tuple.of(
                        credential.id,
                        credential.tenantId,
                        credential.username,
                        credential.access.text(),
                        SqlTime.of(credential.expiresAt),
                        SqlTime.of(credential.createdAt)));
    }

    void delete(UnitOfWork unit, UUID credentialId) {
        unit.write(DELETE, Tuple.of(credentialId));
    }

    private static List<TenantCredential> credentials(RowSet<Row> rows) {
        var found = new ArrayList<TenantCredential>(rows.size());
        rows.forEach(row -> found.add(new TenantCredential(
                row.getUUID("credential_id"),
                row.getUUID("tenant_id"),
                row.getString("username"),
                TextEnum.parse(CredentialAccess.class, row.getString("access")),
                SqlTime.read(row, "expires_at"),
                SqlTime.read(row, "created_at"))));
        return found;
    }
}
