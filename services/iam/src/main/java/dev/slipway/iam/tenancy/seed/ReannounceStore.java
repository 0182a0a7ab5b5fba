package dev.slipway.iam.tenancy.seed;

import dev.slipway.contract.Ids;
import dev.slipway.iam.adapter.AdapterStore;
import dev.slipway.iam.operator.OperatorStore;
import dev.slipway.iam.revision.Revision;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzRecords;
import dev.slipway.iam.tenancy.binding.BindingStore;
import dev.slipway.iam.tenancy.group.GroupStore;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.project.ProjectStore;
import dev.slipway.iam.tenancy.registry.ScopeStore;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Tells everything again, from the database, to topics that have not been told: because the broker lost them, because the platform moved
 * to another broker, or because this version of IAM tells more than the one before. Compaction keeps the last record of every key for
 * ever, so a topic that was told once stays told.
 *
 * <p>It takes as many transactions as there are pages, and the lock on the revision all the while: a change in between would have the
 * higher revision, and readers would pass over what comes after it.
 */
public final class ReannounceStore {
    private static final Logger LOG = LoggerFactory.getLogger(ReannounceStore.class);
    /** Raise it when the records of existing things say more than before. */
    private static final int LAYOUT = 3;

    private static final int PAGE = 1_000;
    private static final UUID NIL = new UUID(0, 0);
    private static final String LOCK = "SELECT revision FROM authz_revision FOR UPDATE";
    private static final String TOLD = "SELECT FROM announced WHERE topic = $1 AND topic_id = $2 AND layout = $3";
    private static final String TELL = """
            INSERT INTO announced (topic, topic_id, layout) VALUES ($1, $2, $3)
            ON CONFLICT (topic) DO UPDATE SET topic_id = $2, layout = $3
            """;

    /** In this order: nobody is told of something that refers to what they have not been told of. */
    private static final List<Kind> KINDS = List.of(
            byName(ScopeStore.AFTER, "action", (records, row) -> records.action(ScopeStore.fromRow(row))),
            byName(RoleStore.AFTER, "name", (records, row) -> records.role(RoleStore.fromRow(row))),
            byId(OrganizationStore.AFTER, (records, row) -> records.organization(OrganizationStore.fromRow(row))),
            byId(DepartmentStore.AFTER, (records, row) -> records.department(DepartmentStore.fromRow(row))),
            byId(UserStore.AFTER, (records, row) -> records.user(UserStore.fromRow(row))),
            byId(ProjectStore.AFTER, (records, row) -> records.project(ProjectStore.fromRow(row))),
            told(ServiceAccountStore.AFTER, ServiceAccountStore::tell),
            byId(GroupStore.AFTER, (records, row) -> records.group(GroupStore.fromRow(row))),
            new Kind(
                    GroupStore.MEMBERS_AFTER,
                    Tuple.of(NIL, NIL),
                    row -> Tuple.of(row.getUUID("group_id"), row.getUUID("user_id")),
                    tenants((records, row) -> records.member(GroupStore.memberFromRow(row)))),
            byId(BindingStore.AFTER, (records, row) -> records.binding(BindingStore.fromRow(row))),
            told(OperatorStore.AFTER, OperatorStore::tell),
            told(AdapterStore.AFTER, AdapterStore::tell),
            told(RevocationStore.AFTER, RevocationStore::tell),
            new Kind(
                    SigningKeyStore.AFTER,
                    Tuple.of("", ""),
                    row -> Tuple.of(row.getString("issuer"), row.getString("kid")),
                    SigningKeyStore::tell));

    private final Outbox outbox;

    /** All of one table, page by page: {@code after} takes the position of the last row and a limit. */
    private record Kind(String after, Tuple start, Function<Row, Tuple> position, BiConsumer<Revision, Row> tell) {}

    public ReannounceStore(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Does so if any of the topics, given with the broker's ids of them, has not been told. */
    public Future<Void> ifNeeded(Map<String, String> topicIds) {
        return outbox.transaction(
                cause(), unit -> unit.query(LOCK, Tuple.tuple()).compose(rows -> {
                    long revision = rows.iterator().next().getLong(0);
                    return untold(unit, topicIds)
                            .compose(untold ->
                                    untold && revision > 0 ? everything(unit, revision) : Future.succeededFuture())
                            .map(ok -> {
                                topicIds.forEach((topic, id) -> unit.write(TELL, Tuple.of(topic, id, LAYOUT)));
                                return null;
                            });
                }));
    }

    private static Future<Boolean> untold(UnitOfWork unit, Map<String, String> topicIds) {
        var chain = Future.succeededFuture(false);
        for (var topic : topicIds.entrySet()) {
            chain = chain.compose(untold -> unit.query(TOLD, Tuple.of(topic.getKey(), topic.getValue(), LAYOUT))
                    .map(rows -> untold || rows.size() == 0));
        }
        return chain;
    }

    private Future<Void> everything(UnitOfWork unit, long revision) {
        LOG.atInfo().addKeyValue("revision", revision).log("the state topics are new: tells everything again");
        var chain = Future.<Void>succeededFuture();
        for (var kind : KINDS) {
            chain = chain.compose(ok -> pages(kind, kind.start, revision));
        }
        return chain.map(ok -> {
            Revision.again(unit, revision).complete();
            return null;
        });
    }

    private Future<Void> pages(Kind kind, Tuple position, long revision) {
        var asked = Tuple.tuple();
        for (var i = 0; i < position.size(); i++) {
            asked.addValue(position.getValue(i));
        }
        return outbox.transaction(cause(), unit -> unit.query(kind.after, asked.addInteger(PAGE))
                        .map(rows -> {
                            var again = Revision.again(unit, revision);
                            var next = position;
                            for (var row : rows) {
                                kind.tell.accept(again, row);
                                next = kind.position.apply(row);
                            }
                            return rows.size() < PAGE ? Tuple.tuple() : next;
                        }))
                .compose(next -> next.size() == 0 ? Future.succeededFuture() : pages(kind, next, revision));
    }

    private static Kind byId(String after, BiConsumer<AuthzRecords, Row> tell) {
        return told(after, tenants(tell));
    }

    private static Kind told(String after, BiConsumer<Revision, Row> tell) {
        return new Kind(after, Tuple.of(NIL), row -> Tuple.of(row.getUUID("id")), tell);
    }

    private static Kind byName(String after, String column, BiConsumer<AuthzRecords, Row> tell) {
        return new Kind(after, Tuple.of(""), row -> Tuple.of(row.getString(column)), tenants(tell));
    }

    private static BiConsumer<Revision, Row> tenants(BiConsumer<AuthzRecords, Row> tell) {
        return (revision, row) -> tell.accept(new AuthzRecords(revision), row);
    }

    private static Cause cause() {
        return new Cause(Ids.next().toString(), Context.root());
    }
}
