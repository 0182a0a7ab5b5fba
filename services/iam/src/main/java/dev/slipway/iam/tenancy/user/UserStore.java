package dev.slipway.iam.tenancy.user;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Problem;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.domain.Place;
import dev.slipway.iam.tenancy.domain.Place.Level;
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

/** All SQL of users. A place's users are those bound there, by themselves or in a group; nobody sees others. */
public final class UserStore {
    private static final String SELECT = """
            SELECT u.id, u.issuer, u.subject, u.display_name, u.disabled_at IS NULL AS active, u.created_at FROM users u
            """;
    /** In an organization: bound to it or to a project of it, or in a group of it. */
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
    private static final String ADD = """
            INSERT INTO users (id, issuer, subject, display_name, created_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT DO NOTHING RETURNING id
            """;
    private static final String DISABLE = "UPDATE users SET disabled_at = $2 WHERE id = $1";

    /** For telling everything again: all of them, in the order of their ids. */
    public static final String AFTER = SELECT + "WHERE u.id > $1 ORDER BY u.id LIMIT $2";

    private final SqlClient reads;

    public UserStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Finds the user whom an issuer names so, or makes and announces them; the id is that of a user who is made. */
    public static Future<User> ensureUser(
            UnitOfWork unit, AuthzRecords records, UUID id, String issuer, String subject, String displayName) {
        var made = new User(id, issuer, subject, displayName, true, unit.now());
        var row = Tuple.of(id, issuer, subject, displayName, unit.now().atOffset(ZoneOffset.UTC));
        return unit.query(ADD, row).compose(added -> {
            if (added.size() > 0) {
                records.user(made);
                return Future.succeededFuture(made);
            }
            return unit.query(BY_SUBJECT, Tuple.of(issuer, subject)).compose(UserStore::one);
        });
    }

    static void setActive(UnitOfWork unit, AuthzRecords records, User next) {
        unit.write(
                DISABLE, Tuple.of(next.id(), next.active() ? null : unit.now().atOffset(ZoneOffset.UTC)));
        records.user(next);
    }

    /** A user of the place; at the platform, any user. In the transaction of a change. */
    static Future<User> load(UnitOfWork unit, Place place, UUID id) {
        return unit.query(find(place), Tuple.of(place.id(), id)).compose(UserStore::one);
    }

    Future<User> find(Place place, UUID id) {
        return reads.preparedQuery(find(place))
                .execute(Tuple.of(place.id(), id))
                .compose(UserStore::one);
    }

    Future<Page<User>> list(Place place, @Nullable Cursor after, int limit) {
        var row = Tuple.of(
                place.id(),
                after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
                after == null ? null : after.id(),
                limit + 1);
        return reads.preparedQuery(SELECT + "WHERE " + of(place.level()) + PAGE)
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

    private static String find(Place place) {
        return SELECT + "WHERE " + of(place.level()) + " AND u.id = $2";
    }

    private static String of(Level level) {
        return switch (level) {
            case PLATFORM -> ALL;
            case ORGANIZATION -> OF_ORGANIZATION;
            case PROJECT -> OF_PROJECT;
        };
    }

    private static Future<User> one(RowSet<Row> rows) {
        return rows.size() == 0
                ? Future.failedFuture(Problem.of(
                                ErrorCode.NOT_FOUND,
                                "There is no such user here. Someone new is named by issuer and subject.")
                        .asException())
                : Future.succeededFuture(fromRow(rows.iterator().next()));
    }
}
