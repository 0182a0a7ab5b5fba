package dev.slipway.instances.sharedruntime;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.AppVersionStore;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.MemberStore;
import dev.slipway.instances.sharedruntime.domain.Attachment;
import dev.slipway.instances.sharedruntime.domain.SharedRuntime;
import dev.slipway.instances.sharedruntime.domain.Worker;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.operations.SubjectStore;
import dev.slipway.operations.TimelineApi.Snapshot;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** The SQL that reads shared runtimes, for their owner and for attached projects. */
public final class SharedRuntimeReadStore {
    static final TableColumns COLUMNS = TableColumns.of(
                    "shared_runtimes",
                    "id",
                    "resource_name",
                    "org_id",
                    "environment",
                    "app_id",
                    "app_version_id",
                    "display_name",
                    "status",
                    "requested_by_user_id",
                    "requested_by_principal_id",
                    "operator_id",
                    "placement_intent",
                    "config",
                    "contribution_policy",
                    "submission_policy",
                    "runtime_state",
                    "failure_reason",
                    "generation",
                    "sequence",
                    "policy_version",
                    "registry_versions",
                    "delete_seconds",
                    "reap",
                    "previous_version_id",
                    "previous_config",
                    "created_at",
                    "updated_at",
                    "deleted_at")
            .withJson(
                    "placement_intent",
                    "config",
                    "contribution_policy",
                    "submission_policy",
                    "runtime_state",
                    "registry_versions",
                    "previous_config");
    private static final String JOINED_COLUMNS = COLUMNS.listOf("r") + ", " + AppVersionStore.JOINED_COLUMNS;
    private static final String FROM = " FROM shared_runtimes r" + AppVersionStore.joins("r");
    static final String FIND = "SELECT " + JOINED_COLUMNS + FROM + "WHERE r.id = $1 AND r.org_id = $2";
    private static final String FIND_OPERATION = """
            SELECT o.id FROM shared_runtime_operations o WHERE o.shared_runtime_id = $1 AND o.org_id = $2
            AND o.kind IN ('create', 'upgrade', 'rollback', 'delete') AND o.status IN ('accepted', 'running')
            """;
    private static final String FIND_DETACHMENT = """
            SELECT o.id FROM shared_runtime_operations o WHERE o.shared_runtime_id = $1 AND o.org_id = $2 AND o.attachment_id = $3
            AND o.kind = 'detach' AND o.status IN ('accepted', 'running')
            """;
    private static final String LIST = "SELECT " + JOINED_COLUMNS + FROM + """
            WHERE r.org_id = $1 AND ($2::text IS NULL OR r.status = $2)
            AND ($3::timestamptz IS NULL OR (r.created_at, r.id) < ($3, $4::uuid))
            ORDER BY r.created_at DESC, r.id DESC LIMIT $5
            """;
    static final TableColumns ATTACHMENT_COLUMNS = TableColumns.of(
                    "shared_runtime_attachments",
                    "id",
                    "shared_runtime_id",
                    "org_id",
                    "project_id",
                    "status",
                    "contribution_policy",
                    "submission_policy",
                    "app_policy",
                    "billing_policy_ref",
                    "failure_reason",
                    "revision",
                    "created_at",
                    "updated_at",
                    "detached_at")
            .withJson("contribution_policy", "submission_policy", "app_policy");
    /** Named so that they can be selected together with those of the runtime. */
    private static final String ATTACHMENT = ATTACHMENT_COLUMNS.listOf("t", "attachment_") + " ";

    static final String SELECT_ATTACHMENTS = "SELECT " + ATTACHMENT + """
            FROM shared_runtime_attachments t WHERE t.shared_runtime_id = $1 AND t.org_id = $2
            """;
    private static final String FIND_ATTACHMENT = SELECT_ATTACHMENTS + "AND t.id = $3";
    private static final String LIST_ATTACHMENTS = SELECT_ATTACHMENTS + """
            AND ($3::timestamptz IS NULL OR (t.created_at, t.id) < ($3, $4::uuid)) ORDER BY t.created_at DESC, t.id DESC LIMIT $5
            """;
    private static final String SELECT_ATTACHED = "SELECT " + JOINED_COLUMNS + ", " + ATTACHMENT + FROM + """
            JOIN shared_runtime_attachments t ON t.shared_runtime_id = r.id AND t.org_id = r.org_id
            WHERE t.project_id = $1 AND t.status <> 'detached'
            """;
    private static final String FIND_ATTACHED = SELECT_ATTACHED + "AND r.id = $2";
    private static final String LIST_ATTACHED = SELECT_ATTACHED + """
            AND ($2::timestamptz IS NULL OR (t.created_at, t.id) < ($2, $3::uuid)) ORDER BY t.created_at DESC, t.id DESC LIMIT $4
            """;
    static final TableColumns WORKER_COLUMNS = TableColumns.of(
                    "shared_runtime_workers",
                    "id",
                    "shared_runtime_id",
                    "org_id",
                    "component",
                    "source",
                    "source_project_id",
                    "attachment_id",
                    "allocation_ref",
                    "region",
                    "sku",
                    "generation",
                    "desired_state",
                    "observed_state",
                    "component_key",
                    "adapter_detail",
                    "reason",
                    "labels",
                    "cordoned",
                    "created_at",
                    "updated_at")
            .withJson("adapter_detail", "labels");
    private static final String WORKERS = "SELECT " + WORKER_COLUMNS.listOf("w") + " FROM shared_runtime_workers w ";
    static final String SELECT_WORKERS = WORKERS + "WHERE w.shared_runtime_id = $1 AND w.org_id = $2 ";
    private static final String FIND_WORKER = SELECT_WORKERS + "AND w.id = $3";
    private static final String LIST_WORKERS = SELECT_WORKERS + """
            AND ($3::timestamptz IS NULL OR (w.created_at, w.id) < ($3, $4::uuid)) ORDER BY w.created_at DESC, w.id DESC LIMIT $5
            """;
    private static final String LIST_CONTRIBUTED = WORKERS + """
            WHERE w.shared_runtime_id = ANY($1) AND w.org_id = $2 AND w.source_project_id = $3 AND w.observed_state <> 'removed'
            ORDER BY w.created_at, w.id
            """;

    private final SqlClient reads;

    public SharedRuntimeReadStore(SqlClient reads) {
        this.reads = reads;
    }

    /** A shared runtime and the attachment of a project to it. */
    public record AttachedRuntime(SharedRuntime runtime, Attachment attachment) {}

    public Future<SharedRuntime> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).map(rows -> runtime(requireRow(rows, id)));
    }

    /** Returns the current state, for a stream. */
    public Future<Snapshot> findSnapshot(UUID orgId, UUID id) {
        return find(orgId, id)
                .map(runtime -> new Snapshot(runtime.state().sequence(), SharedRuntimeView.full(runtime, null)));
    }

    /** Returns the open operation that changes the runtime as a whole; null if none does. */
    Future<@Nullable UUID> findOperation(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND_OPERATION)
                .execute(Tuple.of(id, orgId))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getUUID("id"));
    }

    Future<Page<SharedRuntime>> list(UUID orgId, @Nullable String status, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(orgId, status, at(after), id(after), limit + 1))
                .map(rows -> {
                    var items = new ArrayList<SharedRuntime>(rows.size());
                    rows.forEach(row -> items.add(runtime(row)));
                    return Page.of(items, limit, last -> new Cursor(last.createdAt(), last.id()));
                });
    }

    Future<Attachment> findAttachment(UUID orgId, UUID runtimeId, UUID id) {
        return reads.preparedQuery(FIND_ATTACHMENT)
                .execute(Tuple.of(runtimeId, orgId, id))
                .map(rows -> {
                    if (rows.size() == 0) {
                        throw attachmentNotFound(id);
                    }
                    return attachment(rows.iterator().next());
                });
    }

    /** Returns the open operation that detaches a project; null without one. */
    Future<@Nullable UUID> findDetachment(Attachment attachment) {
        return reads.preparedQuery(FIND_DETACHMENT)
                .execute(Tuple.of(attachment.sharedRuntimeId(), attachment.orgId(), attachment.id()))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getUUID("id"));
    }

    Future<Page<Attachment>> listAttachments(UUID orgId, UUID runtimeId, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST_ATTACHMENTS)
                .execute(Tuple.of(runtimeId, orgId, at(after), id(after), limit + 1))
                .map(rows -> Page.of(attachments(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    /** Returns a runtime that the project is attached to; any other one is not found. */
    public Future<AttachedRuntime> findAttached(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND_ATTACHED)
                .execute(Tuple.of(projectId, id))
                .map(rows -> attached(requireRow(rows, id)));
    }

    Future<Page<AttachedRuntime>> listAttached(UUID projectId, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST_ATTACHED)
                .execute(Tuple.of(projectId, at(after), id(after), limit + 1))
                .map(rows -> {
                    var items = new ArrayList<AttachedRuntime>(rows.size());
                    rows.forEach(row -> items.add(attached(row)));
                    return Page.of(items, limit, last -> new Cursor(last.attachment.createdAt(), last.attachment.id()));
                });
    }

    Future<Worker> findWorker(UUID orgId, UUID runtimeId, UUID id) {
        return reads.preparedQuery(FIND_WORKER)
                .execute(Tuple.of(runtimeId, orgId, id))
                .map(rows -> {
                    if (rows.size() == 0) {
                        throw Problem.of(ErrorCode.WORKER_NOT_FOUND, "This shared runtime has no worker " + id + ".")
                                .asException();
                    }
                    return worker(rows.iterator().next());
                });
    }

    Future<Page<Worker>> listWorkers(UUID orgId, UUID runtimeId, @Nullable Cursor after, int limit) {
        return reads.preparedQuery(LIST_WORKERS)
                .execute(Tuple.of(runtimeId, orgId, at(after), id(after), limit + 1))
                .map(rows -> Page.of(
                        workers(rows), limit, last -> new Cursor(last.member().createdAt(), last.id())));
    }

    /** Returns the workers that a project contributes to runtimes, by runtime, the oldest first. */
    Future<Map<UUID, List<Worker>>> listContributed(UUID orgId, UUID projectId, List<UUID> runtimeIds) {
        return reads.preparedQuery(LIST_CONTRIBUTED)
                .execute(Tuple.of(runtimeIds.toArray(UUID[]::new), orgId, projectId))
                .map(rows -> workers(rows).stream()
                        .collect(Collectors.groupingBy(
                                worker -> worker.member().subject().id())));
    }

    static RuntimeException attachmentNotFound(UUID id) {
        return Problem.of(ErrorCode.ATTACHMENT_NOT_FOUND, "This shared runtime has no attachment " + id + ".")
                .asException();
    }

    static SharedRuntime runtime(Row row) {
        return new SharedRuntime(
                row.getUUID("id"),
                row.getString("resource_name"),
                row.getUUID("org_id"),
                row.getString("environment"),
                AppVersionStore.readApp(row),
                row.getString("display_name"),
                row.getUUID("requested_by_user_id"),
                row.getUUID("requested_by_principal_id"),
                row.getUUID("operator_id"),
                PlacementJson.parse(row.getString("placement_intent")),
                row.getString("config"),
                AttachmentPolicyJson.parseContribution(row.getString("contribution_policy")),
                AttachmentPolicyJson.parseSubmission(row.getString("submission_policy")),
                row.getString("policy_version"),
                AppVersionStore.readSettings(row),
                AppVersionStore.readPrevious(row),
                SqlTime.read(row, "created_at"),
                SubjectStore.readState(row));
    }

    static List<Attachment> attachments(RowSet<Row> rows) {
        var attachments = new ArrayList<Attachment>(rows.size());
        rows.forEach(row -> attachments.add(attachment(row)));
        return attachments;
    }

    private static Attachment attachment(Row row) {
        var contribution = row.getString("attachment_contribution_policy");
        var submission = row.getString("attachment_submission_policy");
        return new Attachment(
                row.getUUID("attachment_id"),
                row.getUUID("attachment_shared_runtime_id"),
                row.getUUID("attachment_org_id"),
                row.getUUID("attachment_project_id"),
                TextEnum.parse(Attachment.Status.class, row.getString("attachment_status")),
                contribution == null ? null : AttachmentPolicyJson.parseContribution(contribution),
                submission == null ? null : AttachmentPolicyJson.parseSubmission(submission),
                row.getString("attachment_app_policy"),
                row.getString("attachment_billing_policy_ref"),
                row.getString("attachment_failure_reason"),
                row.getInteger("attachment_revision"),
                SqlTime.read(row, "attachment_created_at"),
                SqlTime.read(row, "attachment_updated_at"),
                SqlTime.readNullable(row, "attachment_detached_at"));
    }

    private static AttachedRuntime attached(Row row) {
        return new AttachedRuntime(runtime(row), attachment(row));
    }

    static List<Worker> workers(RowSet<Row> rows) {
        var workers = new ArrayList<Worker>(rows.size());
        rows.forEach(row -> workers.add(worker(row)));
        return workers;
    }

    private static Worker worker(Row row) {
        var member = MemberStore.read(
                row,
                new SubjectRef(
                        SubjectKind.SHARED_RUNTIME, row.getUUID("shared_runtime_id"), row.getUUID("org_id"), null));
        return new Worker(
                member,
                TextEnum.parse(Worker.Source.class, row.getString("source")),
                row.getUUID("source_project_id"),
                row.getUUID("attachment_id"),
                row.getString("allocation_ref"),
                row.getString("region"),
                row.getString("sku"));
    }

    private static Row requireRow(RowSet<Row> rows, UUID id) {
        if (rows.size() == 0) {
            throw SharedRuntimeStore.notFound(id);
        }
        return rows.iterator().next();
    }

    private static @Nullable OffsetDateTime at(@Nullable Cursor cursor) {
        return cursor == null ? null : SqlTime.of(cursor.createdAt());
    }

    private static @Nullable UUID id(@Nullable Cursor cursor) {
        return cursor == null ? null : cursor.id();
    }
}
