package dev.slipway.iam.tenancy.group;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.Group;
import dev.slipway.iam.tenancy.domain.GroupMember;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
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

/** All SQL of groups and their members. */
public final class GroupStore {
    private static final TableColumns COLUMNS =
            TableColumns.of("groups", "id", "org_id", "slug", "display_name", "created_at", "deleted_at");
    private static final String SELECT = COLUMNS.select();
    private static final String FIND = SELECT + "WHERE id = $1 AND org_id = $2";
    private static final String LIST = SELECT + """
            WHERE org_id = $1 AND deleted_at IS NULL AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
            ORDER BY created_at DESC, id DESC LIMIT $4
            """;
    private static final String INSERT = COLUMNS.insert() + "ON CONFLICT DO NOTHING RETURNING id";
    private static final String RENAME = "UPDATE groups SET display_name = $3 WHERE id = $1 AND org_id = $2";
    private static final String DELETE = "UPDATE groups SET deleted_at = $3 WHERE id = $1 AND org_id = $2";

    private static final String SELECT_MEMBER = """
            SELECT m.group_id, m.org_id, m.user_id, u.display_name, m.removed_at IS NOT NULL AS removed, m.added_at
            FROM group_members m JOIN users u ON u.id = m.user_id
            """;
    private static final String MEMBER = SELECT_MEMBER + "WHERE m.group_id = $1 AND m.org_id = $2 AND m.user_id = $3";
    private static final String MEMBERS = SELECT_MEMBER + """
            WHERE m.group_id = $1 AND m.org_id = $2 AND m.removed_at IS NULL
            AND ($3::timestamptz IS NULL OR (m.added_at, m.user_id) < ($3, $4::uuid))
            ORDER BY m.added_at DESC, m.user_id DESC LIMIT $5
            """;
    private static final String ALL_MEMBERS =
            SELECT_MEMBER + "WHERE m.group_id = $1 AND m.org_id = $2 AND m.removed_at IS NULL";
    private static final String INSERT_MEMBER = """
            INSERT INTO group_members (group_id, org_id, user_id, added_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (group_id, user_id) DO UPDATE SET added_at = $4, removed_at = NULL
                WHERE group_members.removed_at IS NOT NULL
            RETURNING user_id
            """;
    private static final String REMOVE_MEMBER = """
            UPDATE group_members SET removed_at = $4 WHERE group_id = $1 AND org_id = $2 AND user_id = $3
            """;

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    /** Reads all members page by page, for republishing. */
    public static final String MEMBERS_AFTER =
            SELECT_MEMBER + "WHERE (m.group_id, m.user_id) > ($1, $2) ORDER BY m.group_id, m.user_id LIMIT $3";

    private final SqlClient reads;

    public GroupStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Inserts a new group. Returns whether it was inserted: false if its id, or its slug in the organization, is taken. */
    static Future<Boolean> insert(UnitOfWork unit, AuthzPublisher publisher, Group group) {
        var row = Tuple.of(
                group.id(), group.orgId(), group.slug(), group.displayName(), SqlTime.of(group.createdAt()), null);
        return unit.query(INSERT, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishGroup(group);
            }
            return added.size() > 0;
        });
    }

    static void rename(UnitOfWork unit, AuthzPublisher publisher, Group next) {
        unit.write(RENAME, Tuple.of(next.id(), next.orgId(), next.displayName()));
        publisher.publishGroup(next);
    }

    static void delete(UnitOfWork unit, AuthzPublisher publisher, Group next) {
        unit.write(DELETE, Tuple.of(next.id(), next.orgId(), SqlTime.of(unit.now())));
        publisher.publishGroup(next);
    }

    static Future<Void> insertMember(UnitOfWork unit, AuthzPublisher publisher, GroupMember groupMember) {
        var row = Tuple.of(
                groupMember.groupId(), groupMember.orgId(), groupMember.userId(), SqlTime.of(groupMember.addedAt()));
        return unit.query(INSERT_MEMBER, row).map(added -> {
            if (added.size() > 0) {
                publisher.publishMember(groupMember);
            }
            return null;
        });
    }

    static void removeMember(UnitOfWork unit, AuthzPublisher publisher, GroupMember removed) {
        unit.write(
                REMOVE_MEMBER, Tuple.of(removed.groupId(), removed.orgId(), removed.userId(), SqlTime.of(unit.now())));
        publisher.publishMember(removed);
    }

    /** Loads it, also if it is deleted, in the transaction of a change. */
    static Future<Group> load(UnitOfWork unit, UUID orgId, UUID id) {
        return unit.query(FIND, Tuple.of(id, orgId)).compose(GroupStore::requireOne);
    }

    /** Loads a current or former member. */
    static Future<GroupMember> loadMember(UnitOfWork unit, UUID orgId, UUID groupId, UUID userId) {
        return unit.query(MEMBER, Tuple.of(groupId, orgId, userId)).map(rows -> {
            if (rows.size() == 0) {
                throw Problem.of(ErrorCode.NOT_FOUND, "The user is not and was not a member of this group.")
                        .asException();
            }
            return memberFromRow(rows.iterator().next());
        });
    }

    static Future<List<GroupMember>> loadMembers(UnitOfWork unit, Group group) {
        return unit.query(ALL_MEMBERS, Tuple.of(group.id(), group.orgId())).map(GroupStore::members);
    }

    Future<Group> find(UUID orgId, UUID id) {
        return reads.preparedQuery(FIND).execute(Tuple.of(id, orgId)).compose(GroupStore::requireOne);
    }

    Future<Page<Group>> list(UUID orgId, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                orgId,
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(LIST).execute(row).map(rows -> {
            var found = new ArrayList<Group>();
            rows.forEach(each -> found.add(fromRow(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Page<GroupMember>> listMembers(Group group, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                group.id(),
                group.orgId(),
                after == null ? null : SqlTime.of(after.createdAt()),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(MEMBERS)
                .execute(row)
                .map(rows -> Page.of(members(rows), limit, last -> new Cursor(last.addedAt(), last.userId())));
    }

    public static Group fromRow(Row row) {
        return new Group(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getString("slug"),
                row.getString("display_name"),
                row.getValue("deleted_at") != null,
                SqlTime.read(row, "created_at"));
    }

    public static GroupMember memberFromRow(Row row) {
        return new GroupMember(
                row.getUUID("group_id"),
                row.getUUID("org_id"),
                row.getUUID("user_id"),
                row.getString("display_name"),
                row.getBoolean("removed"),
                SqlTime.read(row, "added_at"));
    }

    private static List<GroupMember> members(RowSet<Row> rows) {
        var found = new ArrayList<GroupMember>();
        rows.forEach(row -> found.add(memberFromRow(row)));
        return found;
    }

    private static Future<Group> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(ErrorCode.NOT_FOUND, "The group was not found in this organization.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}
