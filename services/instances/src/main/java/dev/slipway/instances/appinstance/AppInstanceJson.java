package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.AppInstance;
import dev.slipway.instances.appinstance.domain.InstanceEvent;
import dev.slipway.instances.appinstance.domain.Placement;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/** App instances as the contract writes them: to callers, in events, in commands. */
public final class AppInstanceJson {
    private static final Pattern WORD = Pattern.compile("(?<=[a-z])(?=[A-Z])");

    private AppInstanceJson() {}

    /** With the operation that is changing it, if one is. */
    public static ObjectNode full(AppInstance instance, @Nullable UUID operationId) {
        var node = summary(instance);
        node.putRawValue("config", stored(instance.config()));
        registryVersions(node, instance);
        if (operationId != null) {
            node.put("operation_id", operationId.toString());
        }
        return node;
    }

    static ObjectNode summary(AppInstance instance) {
        var node = Json.object();
        node.put("id", instance.id().toString());
        node.put("resource_name", instance.resourceName());
        node.put("org_id", instance.orgId().toString());
        node.put("project_id", instance.projectId().toString());
        node.put("app_slug", instance.app().slug());
        node.put("version", instance.app().version());
        node.put("display_name", instance.displayName());
        node.put("operating_mode", instance.operatingMode());
        node.put("control_plane_scope", instance.controlPlaneScope());
        node.put("tenant_boundary_mode", instance.tenantBoundaryMode());
        node.put("runtime_backend", instance.app().runtimeBackend());
        node.put("status", instance.status().text());
        node.put("requested_by_user_id", instance.requestedByUserId().toString());
        node.put("requested_by_principal_id", instance.requestedByPrincipalId().toString());
        node.put(
                "operator_service_account_id",
                instance.operatorServiceAccountId().toString());
        node.putRawValue("runtime_state", stored(instance.runtimeState()));
        node.put("failure_reason", instance.failureReason());
        node.put("created_at", instance.createdAt().toString());
        node.put("updated_at", instance.updatedAt().toString());
        node.put("deleted_at", text(instance.deletedAt()));
        node.set("placement_intent", placement(instance.placement()));
        node.put("policy_version", instance.policyVersion());
        return node;
    }

    static String type(InstanceEvent event) {
        var name = event.getClass().getSimpleName();
        return "apps.instance." + WORD.matcher(name).replaceAll("_").toLowerCase(Locale.ROOT);
    }

    static ObjectNode event(AppInstance instance, InstanceEvent event, long sequence) {
        var node = context(instance);
        node.put("sequence", sequence);
        node.put("generation", instance.generation());
        node.put("status", instance.status().text());
        node.put("app_version", instance.app().version());
        node.put("display_name", instance.displayName());
        node.put("resource_name", instance.resourceName());
        node.put("operating_mode", instance.operatingMode());
        node.put("control_plane_scope", instance.controlPlaneScope());
        node.put("runtime_backend", instance.app().runtimeBackend());
        node.put("requested_by_user_id", instance.requestedByUserId().toString());
        node.put(
                "operator_service_account_id",
                instance.operatorServiceAccountId().toString());
        node.set("placement_intent", placement(instance.placement()));
        node.put("policy_version", instance.policyVersion());
        node.put("requested_by_principal_id", instance.requestedByPrincipalId().toString());
        node.putRawValue("runtime_state", stored(instance.runtimeState()));
        node.put("failure_reason", instance.failureReason());
        if (event instanceof InstanceEvent.Running) {
            node.set("endpoints", Json.trusted(instance.runtimeState()).path("endpoints"));
        } else if (event instanceof InstanceEvent.Upgraded upgraded) {
            node.put("from_version", upgraded.fromVersion());
            node.put("operation_id", upgraded.operationId().toString());
            node.set("endpoints", Json.trusted(instance.runtimeState()).withArray("endpoints"));
        } else if (event instanceof InstanceEvent.ForceDeleted forced) {
            node.put("reason", forced.reason());
        } else if (event instanceof InstanceEvent.Failed failed) {
            node.put("failure_reason", failed.reason());
        }
        return node;
    }

    /** What else the event changed, for its history alone: the config is the tenant's own. */
    static ObjectNode own(AppInstance instance, InstanceEvent event) {
        var node = Json.object();
        if (event instanceof InstanceEvent.Requested || event instanceof InstanceEvent.Upgraded) {
            node.putRawValue("config", stored(instance.config()));
            node.put("tenant_boundary_mode", instance.tenantBoundaryMode());
            registryVersions(node, instance);
        }
        return node;
    }

    private static void registryVersions(ObjectNode node, AppInstance instance) {
        var known = instance.terms().registryVersions();
        if (known != null) {
            node.putRawValue("registry_versions", stored(known));
        }
    }

    public static ObjectNode command(AppInstance instance) {
        var node = context(instance);
        node.put("generation", instance.generation());
        node.put("runtime_backend", instance.app().runtimeBackend());
        node.put("app_version", instance.app().version());
        node.put("resource_name", instance.resourceName());
        node.put(
                "operator_service_account_id",
                instance.operatorServiceAccountId().toString());
        return node;
    }

    /** What is to run: {@code config} with the manifest of the version that the command names. */
    public static ObjectNode deploy(AppInstance instance, String manifest, String config) {
        var node = command(instance);
        node.set("placement_intent", placement(instance.placement()));
        node.putRawValue("manifest", stored(manifest));
        node.putRawValue("config", stored(config));
        return node;
    }

    public static ObjectNode placement(Placement placement) {
        var node = Json.object();
        if (placement.region() != null) {
            node.put("region", placement.region());
        }
        if (placement.sku() != null) {
            node.put("sku", placement.sku());
        }
        if (placement.gpuCount() != null) {
            node.put("gpu_count", placement.gpuCount());
        }
        return node;
    }

    /** As it is kept. Most have none, and reading nothing costs nothing. */
    static Placement placement(String json) {
        return json.equals("{}") ? Placement.ANYWHERE : placement(Json.trusted(json));
    }

    public static Placement placement(JsonNode json) {
        return json.isEmpty()
                ? Placement.ANYWHERE
                : new Placement(
                        json.path("region").textValue(),
                        json.path("sku").textValue(),
                        json.path("gpu_count").isInt() ? json.path("gpu_count").intValue() : null);
    }

    /** JSON that was checked when it came in: written as it is, not read to be written again. */
    private static RawValue stored(String json) {
        return new RawValue(json);
    }

    private static ObjectNode context(AppInstance instance) {
        var node = Json.object();
        node.put("org_id", instance.orgId().toString());
        node.put("project_id", instance.projectId().toString());
        node.put("app_slug", instance.app().slug());
        node.put("app_instance_id", instance.id().toString());
        return node;
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
