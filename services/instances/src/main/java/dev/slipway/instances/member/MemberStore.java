package dev.slipway.instances.member;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.history.HistoryStore;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.Member.Desired;
import dev.slipway.instances.member.domain.Member.Observed;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** All SQL of members. Whoever changes one holds the lock of its instance, and keeps the instance that is answered. */
public final class MemberStore {
    /** Of an instance that is gone nothing is left, whatever was said of its members last. */
    private static final String COLUMNS = """
            SELECT m.id, m.app_instance_id, m.project_id, m.component, m.generation,
                CASE i.status WHEN 'deleted' THEN 'removed' ELSE m.desired_state END AS desired_state,
                CASE i.status WHEN 'deleted' THEN 'removed' ELSE m.observed_state END AS observed_state, m.component_key,
                m.adapter_detail::text AS adapter_detail, m.reason, m.labels::text AS labels, m.cordoned, m.created_at, m.updated_at
            FROM app_instance_members m JOIN app_instances i ON i.id = m.app_instance_id AND i.project_id = m.project_id
            WHERE m.app_instance_id = $1 AND m.project_id = $2
            """;

    private static final String ALL = COLUMNS + "ORDER BY m.created_at, m.id";
    private static final String FIND = COLUMNS + "AND m.id = $3";
    private static final String LIST = COLUMNS + """
            AND ($3::text IS NULL OR m.component = $3) AND ($4::timestamptz IS NULL OR (m.created_at, m.id) < ($4, $5::uuid))
            ORDER BY m.created_at DESC, m.id DESC LIMIT $6
            """;
    private static final String ISSUE = """
            INSERT INTO app_instance_members (id, app_instance_id, project_id, component, generation, desired_state, observed_state, labels,
                created_at, updated_at)
            SELECT id, $2, $3, component, 1, 'ready', 'pending', $5::text::jsonb, $6, $6
            FROM unnest($1::uuid[], $4::text[]) AS issued (id, component)
            """;
    private static final String UPDATE = """
            UPDATE app_instance_members SET generation = $4, desired_state = $5, observed_state = $6, component_key = $7,
                adapter_detail = $8::text::jsonb, reason = $9, labels = $10::text::jsonb, cordoned = $11, updated_at = $12
            WHERE id = $1 AND app_instance_id = $2 AND project_id = $3
            """;

    private final SqlClient reads;
    private final HistoryStore history = new HistoryStore();

    public MemberStore(SqlClient reads) {
        this.reads = reads;
    }

    Member fresh(UnitOfWork unit, AppInstance instance, String component, Map<String, String> labels) {
        return Member.issued(Ids.next(), instance.id(), instance.projectId(), component, labels, unit.now());
    }

    /** Keeps one that was issued, and announces it. */
    AppInstance add(UnitOfWork unit, AppInstance instance, Member issued, UUID operationId) {
        insert(unit, instance, List.of(issued), issued.labels());
        return announced(unit, instance, issued, operationId);
    }

    /** Keeps what became of a member, and announces it where it changed; answers the instance with the number of that event. */
    AppInstance change(UnitOfWork unit, AppInstance instance, Member current, Member next, @Nullable UUID operationId) {
        if (next.equals(current)) {
            return instance;
        }
        unit.write(UPDATE, Tuple.from(new @Nullable Object[] {
            next.id(),
            next.appInstanceId(),
            next.projectId(),
            next.generation(),
            next.desired().text(),
            next.observed().text(),
            next.componentKey(),
            next.adapterDetail(),
            next.reason(),
            Json.text(MemberJson.labels(next.labels())),
            next.cordoned(),
            next.updatedAt().atOffset(ZoneOffset.UTC)
        }));
        return announced(unit, instance, next, operationId);
    }

    /** All that an instance has ever had; it has few. */
    Future<List<Member>> all(UnitOfWork unit, AppInstance instance) {
        return unit.query(ALL, Tuple.of(instance.id(), instance.projectId())).map(MemberStore::members);
    }

    Future<Member> find(UUID projectId, UUID instanceId, UUID id) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(instanceId, projectId, id))
                .compose(rows -> rows.size() == 0
                        ? Future.failedFuture(notFound(id))
                        : Future.succeededFuture(fromRow(rows.iterator().next())));
    }

    Future<Page<Member>> list(
            UUID projectId, UUID instanceId, @Nullable String component, @Nullable Cursor after, int limit) {
        var parameters = Tuple.of(
                instanceId,
                projectId,
                component,
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST)
                .execute(parameters)
                .map(rows -> Page.of(members(rows), limit, last -> new Cursor(last.createdAt(), last.id())));
    }

    static ProblemException notFound(Object id) {
        return Problem.of(ErrorCode.MEMBER_NOT_FOUND, "This instance has no member " + id + ".")
                .asException();
    }

    /** Keeps those that were issued. */
    void insert(UnitOfWork unit, AppInstance instance, List<Member> members, Map<String, String> labels) {
        if (!members.isEmpty()) {
            unit.insert(ISSUE, Tuple.from(new Object[] {
                members.stream().map(Member::id).toArray(UUID[]::new),
                instance.id(),
                instance.projectId(),
                members.stream().map(Member::component).toArray(String[]::new),
                Json.text(MemberJson.labels(labels)),
                unit.now().atOffset(ZoneOffset.UTC)
            }));
        }
    }

    private AppInstance announced(UnitOfWork unit, AppInstance instance, Member member, @Nullable UUID operationId) {
        var noted = instance.noted();
        history.append(unit, "apps.instance_member.changed", MemberJson.event(noted, member, operationId));
        return noted;
    }

    private static List<Member> members(RowSet<Row> rows) {
        var members = new ArrayList<Member>(rows.size());
        rows.forEach(row -> members.add(fromRow(row)));
        return members;
    }

    private static Member fromRow(Row row) {
        return new Member(
                row.getUUID("id"),
                row.getUUID("app_instance_id"),
                row.getUUID("project_id"),
                row.getString("component"),
                row.getInteger("generation"),
                Desired.of(row.getString("desired_state")),
                Observed.of(row.getString("observed_state")),
                row.getString("component_key"),
                row.getString("adapter_detail"),
                row.getString("reason"),
                MemberJson.labels(Json.trusted(row.getString("labels"))),
                row.getBoolean("cordoned"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant());
    }
}
