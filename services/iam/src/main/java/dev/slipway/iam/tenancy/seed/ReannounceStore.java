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
import dev.slipway.messaging.Retelling;
import dev.slipway.messaging.Retelling.Kind;
import dev.slipway.messaging.UnitOfWork;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Tells everything again to topics that have not been told. It takes as many transactions as there are pages, and the lock on the revision
 * all the while: a change in between would have the higher revision, and readers would pass over what comes after it.
 */
public final class ReannounceStore {
    /** Raise it when the records of existing things say more than before. */
    private static final int LAYOUT = 3;

    private static final UUID NIL = new UUID(0, 0);
    private static final String LOCK = "SELECT revision FROM authz_revision FOR UPDATE";

    private static final List<Kind<Revision>> KINDS = List.of(
            byName(ScopeStore.AFTER, "action", (records, row) -> records.action(ScopeStore.fromRow(row))),
            byName(RoleStore.AFTER, "name", (records, row) -> records.role(RoleStore.fromRow(row))),
            byId(OrganizationStore.AFTER, (records, row) -> records.organization(OrganizationStore.fromRow(row))),
            byId(DepartmentStore.AFTER, (records, row) -> records.department(DepartmentStore.fromRow(row))),
            byId(UserStore.AFTER, (records, row) -> records.user(UserStore.fromRow(row))),
            byId(ProjectStore.AFTER, (records, row) -> records.project(ProjectStore.fromRow(row))),
            Kind.byId(ServiceAccountStore.AFTER, ServiceAccountStore::tell),
            byId(GroupStore.AFTER, (records, row) -> records.group(GroupStore.fromRow(row))),
            new Kind<>(
                    GroupStore.MEMBERS_AFTER,
                    Tuple.of(NIL, NIL),
                    row -> Tuple.of(row.getUUID("group_id"), row.getUUID("user_id")),
                    tenants((records, row) -> records.member(GroupStore.memberFromRow(row)))),
            byId(BindingStore.AFTER, (records, row) -> records.binding(BindingStore.fromRow(row))),
            Kind.byId(OperatorStore.AFTER, OperatorStore::tell),
            Kind.byId(AdapterStore.AFTER, AdapterStore::tell),
            Kind.byId(RevocationStore.AFTER, RevocationStore::tell),
            Kind.byName(SigningKeyStore.AFTER, List.of("issuer", "kid"), SigningKeyStore::tell));

    private final Outbox outbox;
    private final Retelling<Revision> retelling;

    public ReannounceStore(Outbox outbox) {
        this.outbox = outbox;
        this.retelling = new Retelling<>(outbox, LAYOUT, KINDS);
    }

    /** Does so if any of the topics, given with the broker's ids of them, has not been told. */
    public Future<Void> ifNeeded(Map<String, String> topicIds) {
        var cause = new Cause(Ids.next().toString(), Context.root());
        return outbox.transaction(cause, unit -> unit.query(LOCK, Tuple.tuple()).compose(rows -> {
            long revision = rows.iterator().next().getLong(0);
            return retelling.ifNeeded(
                    unit, topicIds, () -> revision > 0 ? everything(unit, revision) : Future.succeededFuture());
        }));
    }

    private Future<Void> everything(UnitOfWork unit, long revision) {
        return retelling.everything(page -> Revision.again(page, revision)).map(ok -> {
            Revision.again(unit, revision).complete();
            return null;
        });
    }

    private static Kind<Revision> byId(String after, BiConsumer<AuthzRecords, Row> tell) {
        return Kind.byId(after, tenants(tell));
    }

    private static Kind<Revision> byName(String after, String column, BiConsumer<AuthzRecords, Row> tell) {
        return Kind.byName(after, List.of(column), tenants(tell));
    }

    private static BiConsumer<Revision, Row> tenants(BiConsumer<AuthzRecords, Row> tell) {
        return (revision, row) -> tell.accept(new AuthzRecords(revision), row);
    }
}
