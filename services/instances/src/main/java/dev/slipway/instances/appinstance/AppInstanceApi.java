package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceLifecycle;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The operations on app instances. */
public final class AppInstanceApi {
    private static final int MAX_CONFIG_BYTES = 32 * 1024;

    private final AppInstanceStore store;
    private final AdmissionStore admissions;
    private final Mutations mutations;

    public AppInstanceApi(AppInstanceStore store, AdmissionStore admissions, Mutations mutations) {
        this.store = store;
        this.admissions = admissions;
        this.mutations = mutations;
    }

    public Future<Reply> create(Request request) {
        var launch = launch(request);
        return mutations.run(
                request, unit -> store.create(unit, launch).map(created -> accepted(request, unit, created, "create")));
    }

    public Future<Reply> delete(Request request) {
        var id = request.pathId("app_instance_id");
        return mutations.run(request, unit -> store.change(
                        unit, request.projectId(), id, current -> InstanceLifecycle.delete(current, unit.now()))
                .compose(deleting ->
                        admissions.requireMutable(unit, request.projectId()).map(deleting))
                .map(deleting -> accepted(request, unit, deleting, "delete")));
    }

    public Future<Reply> get(Request request) {
        return store.find(request.projectId(), request.pathId("app_instance_id"))
                .map(found -> Reply.of(AppInstanceJson.full(found)));
    }

    public Future<Reply> list(Request request) {
        return store.list(request.projectId(), request.query("status"), request.cursor(), request.limit())
                .map(page -> page.reply(AppInstanceJson::summary));
    }

    private static Reply accepted(Request request, UnitOfWork unit, AppInstance instance, String verb) {
        var metadata = Json.object();
        metadata.put("app_slug", instance.app().slug());
        metadata.put("version", instance.app().version());
        metadata.put("status", instance.status().text());
        metadata.put("policy_version", instance.policyVersion());
        AuditTrail.success(
                unit,
                request.principal(),
                new Entry(
                        "apps.instance." + verb,
                        "app_instance",
                        instance.id().toString(),
                        instance.orgId(),
                        instance.projectId(),
                        metadata));
        return Reply.of(
                AppInstanceJson.full(instance),
                "/api/v1/projects/" + instance.projectId() + "/app-instances/" + instance.id());
    }

    private static Launch launch(Request request) {
        var body = request.body();
        var config = body.path("config").isMissingNode() ? "{}" : Json.text(body.path("config"));
        if (config.getBytes(StandardCharsets.UTF_8).length > MAX_CONFIG_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "/config", "is larger than 32 KiB")
                    .asException();
        }
        var account = body.path("operator_service_account_id");
        return new Launch(
                request.projectId(),
                body.path("app_slug").asText(),
                body.path("version").asText(),
                body.path("display_name").asText(),
                text(body, "operating_mode", "tenant_dedicated"),
                text(body, "control_plane_scope", "project"),
                account.isTextual() ? UUID.fromString(account.asText()) : null,
                config,
                request.principal().responsibleUserId(),
                request.principal().id(),
                AppInstanceJson.placement(body.path("placement_intent")));
    }

    private static String text(JsonNode body, String field, String otherwise) {
        return body.path(field).isTextual() ? body.path(field).asText() : otherwise;
    }
}
