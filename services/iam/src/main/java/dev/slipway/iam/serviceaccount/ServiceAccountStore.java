package dev.slipway.iam.serviceaccount;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
import dev.slipway.iam.tenancy.domain.EnumText;
import dev.slipway.iam.tenancy.domain.PrincipalRecord;
import dev.slipway.iam.tenancy.domain.ResourceState;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of service accounts. An account of another project is not found. */
public final class ServiceAccountStore {
    private static final String COLUMNS = """
            SELECT id, org_id, project_id, slug, display_name, issuer, subject, allowed_actions, state, created_by_user_id, created_at,
                   disabled_at, deleted_at
            FROM service_accounts
            """;
    private static final String FIND = COLUMNS + " WHERE id = $1 AND project_id = $2";
    private static final String LOCK = FIND + " FOR NO KEY UPDATE";
    private static final String LIST = COLUMNS + """
            WHERE project_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String INSERT = """
            INSERT INTO service_accounts (id, org_id, project_id, slug, display_name, issuer, subject, allowed_actions,
                created_by_user_id, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String UPDATE = """
            UPDATE service_accounts SET state = $3, disabled_at = $4, deleted_at = $5 WHERE id = $1 AND project_id = $2
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = COLUMNS + " WHERE id > $1 ORDER BY id LIMIT $2";

    private final SqlClient reads;

    private record ServiceAccountSnapshot(
            UUID serviceAccountId,
            UUID orgId,
            UUID projectId,
            String slug,
            UUID createdByUserId,
            ResourceState state) {}

    public ServiceAccountStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns whether it was inserted and published: false if its id, or its slug in the project, is taken. */
    public static Future<Boolean> insert(UnitOfWork unit, Revision revision, ServiceAccount account) {
        var row = Tuple.from(new Object[] {
            account.id(),
            account.orgId(),
            account.projectId(),
            account.slug(),
            account.displayName(),
            account.issuer(),
            account.subject(),
            account.allowedActions().toArray(String[]::new),
            account.createdByUserId(),
            at(account.createdAt())
        });
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                appendRecord(revision, account);
            }
            return added.size() > 0;
        });
    }

    /** Publishes the current state of an account. */
    public static void appendRecord(Revision revision, Row row) {
        appendRecord(revision, fromRow(row));
    }

    private static void appendRecord(Revision revision, ServiceAccount account) {
        revision.publishAuthz(PrincipalRecord.key(account.id()), PrincipalRecord.EVENT_TYPE, account.principalRecord());
        revision.publishState(
                "service_account:" + account.id(),
                "iam.service_account.snapshot",
                new ServiceAccountSnapshot(
                        account.id(),
                        account.orgId(),
                        account.projectId(),
                        account.slug(),
                        account.createdByUserId(),
                        account.state()));
    }

    public static void update(UnitOfWork unit, Revision revision, ServiceAccount next) {
        unit.write(
                UPDATE,
                Tuple.of(
                        next.id(),
                        next.projectId(),
                        EnumText.of(next.state()),
                        orNull(next.disabledAt()),
                        orNull(next.deletedAt())));
        appendRecord(revision, next);
    }

    public static Future<ServiceAccount> lock(UnitOfWork unit, UUID projectId, UUID id) {
        return unit.query(LOCK, Tuple.of(id, projectId)).compose(rows -> requireOne(rows, id));
    }

    public Future<ServiceAccount> find(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, projectId)).compose(rows -> requireOne(rows, id));
    }

    Future<Page<ServiceAccount>> list(UUID projectId, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                projectId, after == null ? null : at(after.createdAt()), after == null ? null : after.id(), limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var found = new ArrayList<ServiceAccount>();
            rows.forEach(row -> found.add(fromRow(row)));
            return Page.of(found, limit, account -> new Cursor(account.createdAt(), account.id()));
        });
    }

    private static Future<ServiceAccount> requireOne(RowSet<Row> rows, UUID id) {
        return rows.size() == 0
                ? Future.failedFuture(
                        Problem.of(ErrorCode.NOT_FOUND, "Service account " + id + " was not found in this project.")
                                .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }

    private static ServiceAccount fromRow(Row row) {
        return new ServiceAccount(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getString("issuer"),
                row.getString("subject"),
                List.of(row.getArrayOfStrings("allowed_actions")),
                EnumText.parse(ResourceState.class, row.getString("state")),
                row.getUUID("created_by_user_id"),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row, "disabled_at"),
                instant(row, "deleted_at"));
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable OffsetDateTime orNull(@Nullable Instant instant) {
        return instant == null ? null : at(instant);
    }

    private static OffsetDateTime at(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
