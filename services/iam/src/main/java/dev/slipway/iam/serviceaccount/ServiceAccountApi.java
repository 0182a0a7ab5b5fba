package dev.slipway.iam.serviceaccount;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.ResourceState;
import dev.slipway.iam.revision.domain.Revision;
import dev.slipway.iam.serviceaccount.domain.ServiceAccount;
import dev.slipway.iam.tenancy.domain.Project;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** The parts of the service account API that differ from other machine principals. */
public final class ServiceAccountApi {
    private static final List<String> OPERATOR_ACTIONS = List.of("apps.instance.read", "apps.instance.report");

    private final ServiceAccountStore store;
    private final Clock clock;

    private record CreateServiceAccount(String slug, String displayName, List<String> allowedActions) {}

    private record ServiceAccountView(
            UUID id,
            UUID orgId,
            UUID projectId,
            String slug,
            String displayName,
            List<String> allowedActions,
            ResourceState state,
            UUID createdByUserId,
            Instant createdAt,
            @Nullable Instant disabledAt,
            @Nullable Instant deletedAt) {}

    private record AuditMetadata(String slug, ResourceState state) {}

    public ServiceAccountApi(ServiceAccountStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.cursor(), request.limit())
                .map(page -> page.toReply(ServiceAccountApi::view));
    }

    /** Inserts the service account that operates the instances of a new project. */
    public static Future<Boolean> insertOperatorAccount(
            UnitOfWork unit, Revision revision, Project project, UUID createdByUserId) {
        var account = ServiceAccount.create(
                project.operatorServiceAccountId(),
                project.orgId(),
                project.id(),
                "operator",
                "Operator of the project's instances",
                null,
                null,
                OPERATOR_ACTIONS,
                createdByUserId,
                project.createdAt());
        return ServiceAccountStore.insert(unit, revision, account);
    }

    /** Reads the account of a create request. */
    public ServiceAccount parse(Request request) {
        var body = Json.toRecord(request.body(), CreateServiceAccount.class);
        return ServiceAccount.create(
                Ids.next(),
                Objects.requireNonNull(request.orgId()),
                request.projectId(),
                body.slug(),
                body.displayName(),
                null,
                null,
                body.allowedActions(),
                request.principal().responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS));
    }

    public static ObjectNode view(ServiceAccount account) {
        return Json.toObject(new ServiceAccountView(
                account.id(),
                account.orgId(),
                account.projectId(),
                account.slug(),
                account.displayName(),
                account.allowedActions(),
                account.state(),
                account.createdByUserId(),
                account.createdAt(),
                account.disabledAt(),
                account.deletedAt()));
    }

    public static Object auditMetadata(ServiceAccount account) {
        return new AuditMetadata(account.slug(), account.state());
    }
}
