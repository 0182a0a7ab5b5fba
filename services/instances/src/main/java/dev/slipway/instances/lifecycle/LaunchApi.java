package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.instances.appinstance.AdmissionStore.Admitted;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.instances.lifecycle.Launches.Admissible;
import dev.slipway.instances.operation.domain.Waiting.Adapters;
import dev.slipway.instances.plan.PlanJson;
import dev.slipway.instances.plan.PlanStore;
import dev.slipway.instances.plan.PlanStore.Plan;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** Launching instances, and asking what would come of it. */
public final class LaunchApi {
    private static final int MAX_CONFIG_BYTES = 32 * 1024;

    private final Launches launches;
    private final PlanStore plans;
    private final Function<String, Future<Adapters>> adapters;
    private final Mutations mutations;

    public LaunchApi(
            Launches launches, PlanStore plans, Function<String, Future<Adapters>> adapters, Mutations mutations) {
        this.launches = launches;
        this.plans = plans;
        this.adapters = adapters;
        this.mutations = mutations;
    }

    public Future<Reply> create(Request request) {
        var launch = launch(request);
        return mutations.run(request, unit -> launches.admit(unit, launch)
                .compose(admitted -> admissible(unit, request, launch, admitted))
                .compose(admissible -> launches.deploy(unit, admissible))
                .map(created -> {
                    LifecycleApi.audit(
                            request,
                            unit,
                            created.instance(),
                            created.operation().id(),
                            "create");
                    return LifecycleApi.reply(
                            created.instance(), created.operation().id());
                }));
    }

    /** Changes nothing but the plan that is kept. */
    public Future<Reply> plan(Request request) {
        var launch = launch(request);
        return mutations.run(request, unit -> launches.admit(unit, launch)
                .compose(admitted -> outcome(unit, request, launch, admitted)
                        .compose(plan -> answer(unit, request, admitted, plan))));
    }

    private Future<Reply> answer(UnitOfWork unit, Request request, Admitted admitted, Plan plan) {
        var version = admitted.admission().version();
        Future<@Nullable Adapters> known =
                version == null ? Future.succeededFuture() : adapters.apply(version.runtimeBackend());
        return known.map(seen -> Reply.of(
                PlanJson.answer(plans.keep(unit, request.projectId(), plan), plan, admitted, seen, unit.now())));
    }

    /** By a plan, if the request names one: then only if it comes to what was planned. */
    private Future<Admissible> admissible(UnitOfWork unit, Request request, Launch launch, Admitted admitted) {
        var planId = request.body().path("plan_id");
        if (!planId.isTextual()) {
            return launches.judge(unit, launch, counts(request), admitted);
        }
        return plans.take(unit, request.projectId(), UUID.fromString(planId.asText()))
                .compose(planned -> outcome(unit, request, launch, admitted).map(now -> {
                    PlanJson.requireSame(planned, now);
                    return now;
                }))
                .compose(same -> launches.judge(unit, launch, counts(request), admitted));
    }

    private Future<Plan> outcome(UnitOfWork unit, Request request, Launch launch, Admitted admitted) {
        return launches.judge(unit, launch, counts(request), admitted)
                .map(admissible -> PlanJson.allowed(
                        admissible.decided().next(), admissible.version().manifest()))
                .recover(e -> e instanceof ProblemException refused
                        ? Future.succeededFuture(PlanJson.refused(refused.problem()))
                        : Future.failedFuture(e))
                .map(outcome -> new Plan(asked(request), asKept(outcome)));
    }

    private static ObjectNode asked(Request request) {
        var asked = ((ObjectNode) request.body()).deepCopy();
        asked.remove("plan_id");
        return asKept(asked);
    }

    /** As it reads when it comes back from where it is kept. */
    private static ObjectNode asKept(ObjectNode node) {
        return Json.trusted(Json.text(node));
    }

    private static Launch launch(Request request) {
        var body = request.body();
        var account = body.path("operator_service_account_id");
        return new Launch(
                request.projectId(),
                body.path("app_slug").asText(),
                body.path("version").asText(),
                body.path("display_name").asText(),
                text(body, "operating_mode", "tenant_dedicated"),
                text(body, "control_plane_scope", "project"),
                account.isTextual() ? UUID.fromString(account.asText()) : null,
                config(body.path("config")),
                request.principal().responsibleUserId(),
                request.principal().id(),
                AppInstanceJson.placement(body.path("placement_intent")));
    }

    private static Map<String, Integer> counts(Request request) {
        var counts = new HashMap<String, Integer>();
        request.body()
                .path("components")
                .properties()
                .forEach(field -> counts.put(field.getKey(), field.getValue().asInt()));
        return counts;
    }

    static String config(JsonNode given) {
        var config = given.isMissingNode() ? "{}" : Json.text(given);
        if (config.getBytes(StandardCharsets.UTF_8).length > MAX_CONFIG_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/config", "is larger than 32 KiB")
                    .asException();
        }
        return config;
    }

    private static String text(JsonNode body, String field, String otherwise) {
        return body.path(field).isTextual() ? body.path(field).asText() : otherwise;
    }
}
