package dev.slipway.iam.tenancy.user;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.domain.BindingScope;
import dev.slipway.iam.tenancy.domain.BindingScope.Level;
import dev.slipway.iam.tenancy.domain.User;
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
import java.util.UUID;

/** All SQL of users. A scope's users are those with a role there, directly or through a group; other users are not visible. */
public final class UserStore {
    private static final String SELECT = """
            SELECT u.id, u.issuer, u.subject, u.display_name, u.disabled_at IS NULL AS active, u.created_at FROM users u
            """;
    /** The users of an organization have a role in it or in one of its projects, or are members of one of its groups. */
    private static final String OF_ORGANIZATION = """
            (EXISTS (SELECT FROM role_bindings b WHERE b.principal_id = u.id AND b.org_id = $1 AND b.removed_at IS NULL
                     AND (b.expires_at IS NULL OR b.expires_at > now()))
             OR EXISTS (SELECT FROM group_members m WHERE m.user_id = u.id AND m.org_id = $1 AND m.removed_at IS NULL))
            """;

    private static final String OF_PROJECT = """
            EXISTS (SELECT FROM role_bindings b WHERE b.place_id = $1 AND b.removed_at IS NULL
                    AND (b.expires_at IS NULL OR b.expires_at > now())
                    AND (b.principal_id = u.id OR EXISTS (SELECT FROM group_members m
                         WHERE m.group_id = b.principal_id AND m.user_id = u.id AND m.removed_at IS NULL)))
            """;
    private static final String ALL = "$1::uuid IS NOT NULL";
    private static final String PAGE = """
             AND ($2::timestamptz IS NULL OR (u.created_at, u.id) < ($2, $3::uuid))
            ORDER BY u.created_at DESC, u.id DESC LIMIT $4
            """;
    private static final String BY_SUBJECT = SELECT + "WHERE u.issuer = $1 AND u.subject = $2";
    private static final String INSERT = """
            INSERT INTO users (id, issuer, subject, display_name, created_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String DISABLE = "UPDATE users SET disabled_at = $2 WHERE id = $1";

    /** Reads all rows page by page, for republishing. */
    public static final String AFTER = SELECT + "WHERE u.id > $1 ORDER BY u.id LIMIT $2";

    private final SqlClient reads;

    public UserStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the user with this issuer and subject; creates and publishes one with the given id if there is none. */
    public static Future<User> findOrCreate(
            UnitOfWork unit, AuthzPublisher publisher, UUID id, String issuer, String subject, String displayName) {
        var made = new User(id, issuer, subject, displayName, true, unit.now());
        var row = Tuple.of(id, issuer, subject, displayName, unit.now().atOffset(ZoneOffset.UTC));
        return unit.query(INSERT, row).compose(added -> {
            if (added.size() > 0) {
                publisher.publishUser(made);
                return Future.succeededFuture(made);
            }
            return unit.query(BY_SUBJECT, Tuple.of(issuer, subject)).compose(UserStore::requireOne);
        });
    }

    static void setActive(UnitOfWork unit, AuthzPublisher publisher, User next) {
        unit.write(
                DISABLE, Tuple.of(next.id(), next.active() ? null : unit.now().atOffset(ZoneOffset.UTC)));
        publisher.publishUser(next);
    }

    /** Loads a user of the scope (at the platform: any user) in the transaction of a change. */
    static Future<User> load(UnitOfWork unit, BindingScope bindingScope, UUID id) {
        return unit.query(find(bindingScope), Tuple.of(bindingScope.id(), id)).compose(UserStore::requireOne);
    }

    Future<User> find(BindingScope bindingScope, UUID id) {
        return reads.preparedQuery(find(bindingScope))
                .execute(Tuple.of(bindingScope.id(), id))
                .compose(UserStore::requireOne);
    }

    Future<Page<User>> list(BindingScope bindingScope, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                bindingScope.id(),
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(SELECT + "WHERE " + scopeCondition(bindingScope.level()) + PAGE)
                .execute(row)
                .map(rows -> {
                    var found = new ArrayList<User>();
                    rows.forEach(each -> found.add(fromRow(each)));
                    return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
                });
    }

    public static User fromRow(Row row) {
        return new User(
                row.getUUID("id"),
                row.getString("issuer"),
                row.getString("subject"),
                row.getString("display_name"),
                row.getBoolean("active"),
                row.getOffsetDateTime("created_at").toInstant());
    }

    private static String find(BindingScope bindingScope) {
        return SELECT + "WHERE " + scopeCondition(bindingScope.level()) + " AND u.id = $2";
    }

    private static String scopeCondition(Level level) {
        return switch (level) {
            case PLATFORM -> ALL;
            case ORGANIZATION -> OF_ORGANIZATION;
            case PROJECT -> OF_PROJECT;
        };
    }

    private static Future<User> requireOne(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(
                                ErrorCode.NOT_FOUND,
                                "The user was not found at this scope. To add a new user, give issuer and subject instead of user_id.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}
