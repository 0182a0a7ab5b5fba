package dev.slipway.instances.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.instances.appinstance.AdmissionStore;
import dev.slipway.instances.appinstance.AppInstanceJson;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.Launch;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Launching instances and deleting them. */
public final class LifecycleApi {
    private static final int MAX_CONFIG_BYTES = 32 * 1024;

    private final Instances instances;
    private final AdmissionStore admissions;
    private final Mutations mutations;

    public LifecycleApi(Instances instances, AdmissionStore admissions, Mutations mutations) {
        this.instances = instances;
        this.admissions = admissions;
        this.mutations = mutations;
    }

    public Future<Reply> create(Request request) {
        var launch = launch(request);
        return mutations.run(request, unit -> instances
                .create(unit, launch)
                .map(created -> accepted(
                        request, unit, created.instance(), created.operation().id(), "create")));
    }

    public Future<Reply> delete(Request request) {
        var id = request.pathId("app_instance_id");
        return mutations.run(request, unit -> instances
                .delete(unit, request.projectId(), id, request.principal())
                .compose(deleting ->
                        admissions.requireMutable(unit, request.projectId()).map(deleting))
                .map(deleting -> accepted(request, unit, deleting.instance(), deleting.operationId(), "delete")));
    }

    private static Reply accepted(
            Request request, UnitOfWork unit, AppInstance instance, @Nullable UUID operationId, String verb) {
        var metadata = Json.object();
        metadata.put("app_slug", instance.app().slug());
        metadata.put("version", instance.app().version());
        metadata.put("status", instance.status().text());
        metadata.put("policy_version", instance.policyVersion());
        metadata.put("operation_id", operationId == null ? null : operationId.toString());
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
                AppInstanceJson.full(instance, operationId),
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
