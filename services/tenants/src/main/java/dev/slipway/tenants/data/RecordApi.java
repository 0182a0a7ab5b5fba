package dev.slipway.tenants.data;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.metadata.domain.ObjectPermission.Access;
import dev.slipway.tenants.quota.QuotaGuard;
import dev.slipway.tenants.quota.RequestCounter;
import dev.slipway.tenants.quota.TenantUsers;
import dev.slipway.tenants.router.RoutedTenant;
import dev.slipway.tenants.router.TenantAuthorizer;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.tenant.domain.DatabaseProvider;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Lists, reads and changes the records of deployed objects. A change of a record is made inside the transaction that audits it, just before
 * its commit: the two databases cannot commit together.
 */
public final class RecordApi {
    private static final String READ = "tenants.data.read";
    private static final String WRITE = "tenants.data.write";
    private static final String DELETE = "tenants.data.delete";

    private final TenantRouter router;
    private final TenantAuthorizer authorizer;
    private final RequestCounter requests;
    private final TenantUsers users;
    private final QuotaGuard quotas;
    private final Mutations mutations;
    private final RecordStore postgres;
    private final RecordStore memory;

    /** The tenant and the object of a request. */
    private record Target(RoutedTenant routed, ObjectDefinition object) {
        Tenant tenant() {
            return routed.tenant();
        }
    }

    private record RecordPage(
            List<ObjectNode> items, @Nullable String nextCursor) {}

    public RecordApi(
            TenantRouter router,
            TenantAuthorizer authorizer,
            RequestCounter requests,
            TenantUsers users,
            QuotaGuard quotas,
            Mutations mutations,
            PostgresRecordStore postgres,
            MemoryRecordStore memory) {
        this.router = router;
        this.authorizer = authorizer;
        this.requests = requests;
        this.users = users;
        this.quotas = quotas;
        this.mutations = mutations;
        this.postgres = postgres;
        this.memory = memory;
    }

    public Future<Reply> list(Request request) {
        // Before the tenant is looked up: a malformed request is refused alike whether the tenant exists or not.
        var position = RecordOrder.decode(request.query("cursor"));
        var filter = RecordCondition.parse(request.query("filter"));
        var limit = request.limit();
        return target(request, READ, Access.READ).compose(target -> {
            var order = RecordOrder.parse(request.query("sort"), target.object);
            var conditions = RecordCondition.of(filter, target.object);
            var after = order.requireOwn(position);
            return store(target)
                    .list(target.tenant(), target.object, conditions, order, after, limit + 1)
                    .map(found -> Reply.ofRecord(page(found, order, limit)));
        });
    }

    private static RecordPage page(List<ObjectNode> found, RecordOrder order, int limit) {
        return found.size() <= limit
                ? new RecordPage(found, null)
                : new RecordPage(
                        found.subList(0, limit),
                        order.positionOf(found.get(limit - 1)).encode());
    }

    public Future<Reply> get(Request request) {
        return target(request, READ, Access.READ).compose(target -> store(target)
                .find(target.tenant(), target.object, request.pathId("record_id"))
                .map(found -> Reply.of(required(found))));
    }

    public Future<Reply> create(Request request) {
        return target(request, WRITE, Access.CREATE).compose(target -> {
            var values = values(target.object, request, true);
            var id = recordId(request);
            return mutations.run(request, unit -> quotas.reserveRecords(
                            unit, target.tenant(), target.routed.quotas(), target.object.name(), 1)
                    .compose(ok -> insert(unit, target, id, values))
                    .map(created -> {
                        audit(unit, request, WRITE, target, id, "create");
                        return Reply.of(created, location(target, id));
                    }));
        });
    }

    /** A request that is repeated after a crash finds the record that it created before. */
    private Future<ObjectNode> insert(UnitOfWork unit, Target target, UUID id, Map<String, @Nullable String> values) {
        return store(target).insert(target.tenant(), target.object, id, values).compose(created -> {
            if (created != null) {
                return Future.succeededFuture(created);
            }
            quotas.releaseRecords(unit, target.tenant(), target.object.name(), 1);
            return store(target).find(target.tenant(), target.object, id).map(RecordApi::required);
        });
    }

    public Future<Reply> update(Request request) {
        return target(request, WRITE, Access.UPDATE).compose(target -> {
            var values = values(target.object, request, false);
            var id = request.pathId("record_id");
            return mutations.run(request, unit -> {
                audit(unit, request, WRITE, target, id, "update");
                return store(target)
                        .update(target.tenant(), target.object, id, values)
                        .map(updated -> Reply.of(required(updated)));
            });
        });
    }

    public Future<Reply> delete(Request request) {
        return target(request, DELETE, Access.DELETE).compose(target -> {
            var id = request.pathId("record_id");
            return mutations.run(request, unit -> {
                audit(unit, request, DELETE, target, id, "delete");
                quotas.releaseRecords(unit, target.tenant(), target.object.name(), 1);
                return store(target)
                        .delete(target.tenant(), target.object, id)
                        .map(deleted -> Reply.of(required(deleted)));
            });
        });
    }

    private Future<Target> target(Request request, String action, Access access) {
        return router.find(request.pathId("tenant_id")).compose(routed -> {
            var tenant = routed.tenant();
            authorizer.authorize(request, tenant, action);
            var object = routed.requireActive().requireObject(request.path("object"));
            authorizer.authorize(request, tenant, action, object, access);
            return countRequest(routed)
                    .compose(ok -> users.register(request.principal(), tenant, routed.quotas()))
                    .map(new Target(routed, object));
        });
    }

    private Future<Void> countRequest(RoutedTenant routed) {
        return requests.count(routed.tenant().id(), routed.quotas())
                .compose(counted -> counted.allowed()
                        ? Future.succeededFuture()
                        : Future.failedFuture(new Problem(
                                        ErrorCode.RATE_LIMITED,
                                        String.valueOf(counted.message()),
                                        Json.toObject(counted))
                                .asException()));
    }

    private RecordStore store(Target target) {
        return target.tenant().databaseProvider() == DatabaseProvider.MEMORY ? memory : postgres;
    }

    /** Returns the values by field. Throws a problem that names every field that the object does not define, or with another type. */
    private static Map<String, @Nullable String> values(ObjectDefinition object, Request request, boolean creates) {
        var values = new LinkedHashMap<String, @Nullable String>();
        var problems = new ArrayList<FieldProblem>();
        for (var entry : request.body().properties()) {
            var field = object.field(entry.getKey()).orElse(null);
            var value = entry.getValue();
            var problem = field == null
                    ? "is not a field of " + object.name()
                    : value.isNull()
                            ? (field.required() ? "is required by the object" : null)
                            : FieldValues.validate(field.type(), value);
            if (problem != null) {
                problems.add(new FieldProblem("/" + entry.getKey(), problem));
            } else if (field != null) {
                values.put(field.name(), value.isNull() ? null : FieldValues.text(field.type(), value));
            }
        }
        if (creates) {
            object.fields().stream()
                    .filter(field -> field.required()
                            && field.defaultValue() == null
                            && !request.body().has(field.name()))
                    .forEach(field -> problems.add(new FieldProblem("/" + field.name(), "is required by the object")));
        }
        if (!problems.isEmpty()) {
            throw Problem.validationOf(ErrorCode.RECORD_INVALID, problems).asException();
        }
        return values;
    }

    /** With an Idempotency-Key, the id follows from it, so that a repeated request cannot create a second record. */
    private static UUID recordId(Request request) {
        var key = request.call().headers().get("idempotency-key");
        if (key == null) {
            return Ids.next();
        }
        var name = String.join(
                "|", request.principal().id().toString(), request.path("tenant_id"), request.path("object"), key);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    private static ObjectNode required(@Nullable ObjectNode found) {
        if (found == null) {
            throw notFound();
        }
        return found;
    }

    private static ProblemException notFound() {
        return Problem.of(ErrorCode.RECORD_NOT_FOUND, "The object has no record with this id.")
                .asException();
    }

    private static void audit(
            UnitOfWork unit, Request request, String action, Target target, UUID recordId, String change) {
        var metadata = Json.object()
                .put("tenant_id", target.tenant().id().toString())
                .put("object", target.object.name())
                .put("change", change);
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(
                        action,
                        "tenant_record",
                        recordId.toString(),
                        target.tenant().orgId(),
                        request.projectIdOrNull(),
                        metadata));
    }

    private static String location(Target target, UUID id) {
        return "/api/v1/tenants/" + target.tenant().id() + "/data/" + target.object.name() + "/" + id;
    }
}
