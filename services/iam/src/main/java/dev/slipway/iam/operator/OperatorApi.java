package dev.slipway.iam.operator;

import dev.slipway.authz.Target;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.iam.credential.Machines;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.UUID;

/** What is special to shared-runtime operators; the rest is as with all machines. */
public final class OperatorApi {
    public static final Machines.Kind KIND =
            new Machines.Kind("iam.operator", "org_id", "operator_id", "The operator is deleted. Register another.");

    private final OperatorStore store;
    private final Machines<Operator> machines;
    private final Clock clock;

    public OperatorApi(OperatorStore store, Machines<Operator> machines, Clock clock) {
        this.store = store;
        this.machines = machines;
        this.clock = clock;
    }

    public Future<Reply> create(Request request) {
        var orgId = request.pathId("org_id");
        var body = request.body();
        var actions = new ArrayList<String>();
        body.path("allowed_actions").forEach(action -> actions.add(action.asText()));
        var made = new Operator(
                Ids.next(),
                orgId,
                UUID.fromString(body.path("shared_runtime_id").asText()),
                body.path("runtime_backend").textValue(),
                body.path("display_name").asText(),
                actions,
                "active",
                request.principal().responsibleUserId(),
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                null,
                null);
        return machines.create(
                request, Target.organization(orgId), made, "/api/v1/orgs/" + orgId + "/shared-runtime-operators");
    }

    public Future<Reply> list(Request request) {
        return store.list(request.pathId("org_id")).map(all -> {
            var body = Json.object();
            var items = body.putArray("items");
            all.forEach(operator -> items.add(operator.json()));
            return Reply.of(body);
        });
    }
}
