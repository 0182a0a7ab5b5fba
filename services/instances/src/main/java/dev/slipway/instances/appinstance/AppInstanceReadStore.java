package dev.slipway.instances.appinstance;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.launch.AppVersionStore;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.MemberStore;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.operations.SubjectStore;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads app instances and their members. */
public final class AppInstanceReadStore {
    static final TableColumns COLUMNS = TableColumns.of(
                    "app_instances",
                    "id",
                    "resource_name",
                    "org_id",
                    "project_id",
                    "app_id",
                    "app_version_id",
                    "display_name",
                    "operating_mode",
                    "control_plane_scope",
                    "tenant_boundary_mode",
                    "status",
                    "requested_by_user_id",
                    "requested_by_principal_id",
                    "operator_service_account_id",
                    "config",
                    "runtime_state",
                    "failure_reason",
                    "generation",
                    "sequence",
                    "created_at",
                    "updated_at",
                    "deleted_at",
                    "placement_intent",
                    "policy_version",
                    "delete_seconds",
                    "reap",
                    "registry_versions",
                    "previous_version_id",
                    "previous_config",
                    "shared_runtime_id")
            .withJson("config", "runtime_state", "placement_intent", "registry_versions", "previous_config");
    private static final String JOINED_COLUMNS = COLUMNS.listOf("i") + ", " + AppVersionStore.JOINED_COLUMNS;
    /** Lists leave out the parameters, which may be large. */
    private static final String LIST_COLUMNS =
            JOINED_COLUMNS.replace("i.config::text", "'{}'").replace("i.previous_config::text", "'{}'");

    private static final String FROM = " FROM app_instances i" + AppVersionStore.joins("i");
    private static final String ONE = FROM + "WHERE i.id = $1 AND i.project_id = $2";
    static final String FIND = "SELECT " + JOINED_COLUMNS + ONE;
    private static final String FIND_WITH_OPERATION = "SELECT " + JOINED_COLUMNS + """
            , (SELECT o.id FROM app_instance_operations o WHERE o.app_instance_id = i.id AND o.kind <> 'declared'
                AND o.status IN ('accepted', 'running')) AS operation_id
            """ + ONE;
    private static final String LIST = "SELECT " + LIST_COLUMNS + FROM + """
            WHERE i.project_id = $1 AND ($2::text IS NULL OR i.status = $2)
            AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4::uuid))
            ORDER BY i.created_at DESC, i.id DESC LIMIT $5
            """;

    /** The members of a deleted instance are removed, regardless of the last report. */
    private static final String SELECT_MEMBERS = """
            SELECT m.id, m.app_instance_id, i.org_id, m.project_id, m.component, m.generation,
                CASE i.status WHEN 'deleted' THEN 'removed' ELSE m.desired_state END AS desired_state,
                CASE i.status WHEN 'deleted' THEN 'removed' ELSE m.observed_state END AS observed_state, m.component_key,
                m.adapter_detail::text AS adapter_detail, m.reason, m.labels::text AS labels, m.cordoned, m.created_at, m.updated_at
            FROM app_instance_members m JOIN app_instances i ON i.id = m.app_instance_id AND i.project_id = m.project_id
            WHERE m.app_instance_id = $1 AND m.project_id = $2
            """;

    static final String LIST_ALL_MEMBERS = SELECT_MEMBERS + "ORDER BY m.created_at, m.id";
    private static final String FIND_MEMBER = SELECT_MEMBERS + "AND m.id = $3";
    private static final String LIST_MEMBERS = SELECT_MEMBERS + """
            AND ($3::text IS NULL OR m.component = $3) AND ($4::timestamptz IS NULL OR (m.created_at, m.id) < ($4, $5::uuid))
            ORDER BY m.created_at DESC, m.id DESC LIMIT $6
            """;

    private final SqlClient reads;

    public AppInstanceReadStore(SqlClient reads) {
        this.reads = reads;
    }

    /** An instance and the operation that changes it; null if none does. */
    record InstanceWithOperation(
            AppInstance instance, @Nullable UUID operationId) {}

    Future<InstanceWithOperation> findWithOperation(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND_WITH_OPERATION)
                .execute(Tuple.of(id, projectId))
                .map(rows -> {
                    var row = requireRow(rows, id);
                    return new InstanceWithOperation(fromRow(row), row.getUUID("operation_id"));
                });
    }

    public Future<AppInstance> find(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, projectId)).map(rows -> fromRow(requireRow(rows, id)));
    }

    Future<Page<AppInstance>> list(UUID projectId, @Nullable String status, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                projectId,
                status,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(parameters).map(rows -> {
            var items = new ArrayList<AppInstance>(rows.size());
            rows.forEach(row -> items.add(fromRow(row)));
            return Page.of(items, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Member> findMember(UUID projectId, UUID instanceId, UUID id) {
        return reads.preparedQuery(FIND_MEMBER)
                .execute(Tuple.of(instanceId, projectId, id))
                .map(rows -> {
                    if (rows.size() == 0) {
                        throw Problem.of(ErrorCode.MEMBER_NOT_FOUND, "This instance has no member " + id + ".")
                                .asException();
                    }
                    return memberFromRow(rows.iterator().next());
                });
    }

    Future<Page<Member>> listMembers(
            UUID projectId, UUID instanceId, @Nullable String component, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                instanceId,
                projectId,
                component,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST_MEMBERS)
                .execute(parameters)
                .map(rows -> Page.of(membersFromRows(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    static AppInstance fromRow(Row row) {
        return new AppInstance(
                row.getUUID("id"),
                row.getString("resource_name"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                AppVersionStore.readApp(row),
                row.getString("display_name"),
                row.getString("operating_mode"),
                row.getString("control_plane_scope"),
                row.getUUID("requested_by_user_id"),
                row.getUUID("requested_by_principal_id"),
                row.getUUID("operator_service_account_id"),
                row.getString("config"),
                SqlTime.read(row, "created_at"),
                PlacementJson.parse(row.getString("placement_intent")),
                row.getString("policy_version"),
                AppVersionStore.readSettings(row),
                AppVersionStore.readPrevious(row),
                row.getUUID("shared_runtime_id"),
                SubjectStore.readState(row));
    }

    static List<Member> membersFromRows(RowSet<Row> rows) {
        var members = new ArrayList<Member>(rows.size());
        rows.forEach(row -> members.add(memberFromRow(row)));
        return members;
    }

    private static Member memberFromRow(Row row) {
        return MemberStore.read(
                row,
                new SubjectRef(
                        SubjectKind.APP_INSTANCE,
                        row.getUUID("app_instance_id"),
                        row.getUUID("org_id"),
                        row.getUUID("project_id")));
    }

    private static Row requireRow(RowSet<Row> rows, UUID id) {
        if (rows.size() == 0) {
            throw notFound(id);
        }
        return rows.iterator().next();
    }

    static RuntimeException notFound(UUID id) {
        return Problem.of(ErrorCode.APP_INSTANCE_NOT_FOUND, "This project has no app instance " + id + ".")
                .asException();
    }
}
