package dev.slipway.iam;

import dev.slipway.contract.Ids;
import dev.slipway.iam.adapter.AdapterPrincipalStore;
import dev.slipway.iam.operator.SharedRuntimeOperatorStore;
import dev.slipway.iam.revision.RevisionStore;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.revocation.RevocationStore;
import dev.slipway.iam.serviceaccount.ServiceAccountStore;
import dev.slipway.iam.signingkey.SigningKeyStore;
import dev.slipway.iam.tenancy.AuthzPublisher;
import dev.slipway.iam.tenancy.binding.RoleBindingStore;
import dev.slipway.iam.tenancy.group.GroupStore;
import dev.slipway.iam.tenancy.organization.DepartmentStore;
import dev.slipway.iam.tenancy.organization.OrganizationStore;
import dev.slipway.iam.tenancy.project.ProjectStore;
import dev.slipway.iam.tenancy.registry.ScopeStore;
import dev.slipway.iam.tenancy.role.RoleStore;
import dev.slipway.iam.tenancy.user.UserStore;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.StateRepublisher;
import dev.slipway.messaging.StateRepublisher.TableScan;
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
 * Republishes all authorization data to topics that do not have it. It takes one transaction per page and holds the lock on the revision
 * throughout: a change in between would have a higher revision, and readers would ignore the publisher that follow it.
 */
final class RepublishStore {
    /** Increment it when the records of existing rows get additional fields. */
    private static final int RECORD_FORMAT = 4;

    private static final UUID NIL = new UUID(0, 0);

    private static final List<TableScan<Revision>> TABLES = List.of(
            byName(ScopeStore.AFTER, "action", (publisher, row) -> publisher.publishAction(ScopeStore.fromRow(row))),
            byName(RoleStore.AFTER, "name", (publisher, row) -> publisher.publishRole(RoleStore.fromRow(row))),
            byId(
                    OrganizationStore.AFTER,
                    (publisher, row) -> publisher.publishOrganization(OrganizationStore.fromRow(row))),
            byId(DepartmentStore.AFTER, (publisher, row) -> publisher.publishDepartment(DepartmentStore.fromRow(row))),
            byId(UserStore.AFTER, (publisher, row) -> publisher.publishUser(UserStore.fromRow(row))),
            byId(ProjectStore.AFTER, (publisher, row) -> publisher.publishProject(ProjectStore.fromRow(row))),
            TableScan.byId(ServiceAccountStore.AFTER, ServiceAccountStore::appendRecord),
            byId(GroupStore.AFTER, (publisher, row) -> publisher.publishGroup(GroupStore.fromRow(row))),
            new TableScan<>(
                    GroupStore.MEMBERS_AFTER,
                    Tuple.of(NIL, NIL),
                    row -> Tuple.of(row.getUUID("group_id"), row.getUUID("user_id")),
                    withPublisher((publisher, row) -> publisher.publishMember(GroupStore.memberFromRow(row)))),
            byId(RoleBindingStore.AFTER, (publisher, row) -> publisher.publishBinding(RoleBindingStore.fromRow(row))),
            TableScan.byId(SharedRuntimeOperatorStore.AFTER, SharedRuntimeOperatorStore::appendRecord),
            TableScan.byId(AdapterPrincipalStore.AFTER, AdapterPrincipalStore::appendRecord),
            TableScan.byId(RevocationStore.AFTER, RevocationStore::appendRecord),
            TableScan.byName(SigningKeyStore.AFTER, List.of("issuer", "kid"), SigningKeyStore::appendRecord));

    private final Outbox outbox;
    private final StateRepublisher<Revision> stateRepublisher;

    RepublishStore(Outbox outbox) {
        this.outbox = outbox;
        this.stateRepublisher = new StateRepublisher<>(outbox, RECORD_FORMAT, TABLES);
    }

    /** Republishes everything if one of the topics (with their broker ids) does not have it. */
    Future<Void> republishIfNeeded(Map<String, String> topicIds) {
        var context = new ChangeContext(Ids.next().toString(), Context.root());
        return outbox.transaction(context, unit -> RevisionStore.lock(unit)
                .compose(revision -> stateRepublisher.runIfNeeded(
                        unit, topicIds, () -> revision > 0 ? republishAll(unit, revision) : Future.succeededFuture())));
    }

    private Future<Void> republishAll(UnitOfWork unit, long revision) {
        return stateRepublisher
                .republishAll(page -> RevisionStore.at(page, revision))
                .map(ok -> {
                    RevisionStore.complete(unit, revision);
                    return null;
                });
    }

    private static TableScan<Revision> byId(String after, BiConsumer<AuthzPublisher, Row> publishRow) {
        return TableScan.byId(after, withPublisher(publishRow));
    }

    private static TableScan<Revision> byName(String after, String column, BiConsumer<AuthzPublisher, Row> publishRow) {
        return TableScan.byName(after, List.of(column), withPublisher(publishRow));
    }

    private static BiConsumer<Revision, Row> withPublisher(BiConsumer<AuthzPublisher, Row> publishRow) {
        return (revision, row) -> publishRow.accept(new AuthzPublisher(revision), row);
    }
}
