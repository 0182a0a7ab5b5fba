package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;

import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import static dev.slipway.tenants.TenantsFixture.ORG;
import static dev.slipway.tenants.TenantsFixture.await;
import static dev.slipway.tenants.TenantsFixture.json;

/** The interfaces of the tenant runtime protocol by their own names, on our operations: fields in camelCase, absent instead of null. */
public final class ProtocolNames {
    private static final Pattern WORD_START = Pattern.compile("_([a-z])");
    private static final Pattern UPPER_CASE = Pattern.compile("([A-Z])");

    private ProtocolNames() {}

    /** Provisions tenants and changes their state. */
    public interface IProvisioningService {
        JsonNode provisionTenant(JsonNode request);

        void suspendTenant(String tenantId);

        void resumeTenant(String tenantId);

        void destroyTenant(String tenantId);

        JsonNode getTenantStatus(String tenantId);

        void migrateTenantPlan(String tenantId, String newPlan);
    }

    public static JsonNode toCamelCase(JsonNode node) {
        return rename(node, name -> WORD_START.matcher(name).replaceAll(match -> match.group(1)
                .toUpperCase(Locale.ROOT)));
    }

    public static JsonNode toSnakeCase(JsonNode node) {
        return rename(node, name -> UPPER_CASE
                .matcher(name)
                .replaceAll(match -> "_" + match.group(1).toLowerCase(Locale.ROOT)));
    }

    private static JsonNode rename(JsonNode node, UnaryOperator<String> name) {
        if (node.isArray()) {
            var list = Json.array();
            node.forEach(item -> list.add(rename(item, name)));
            return list;
        }
        if (!node.isObject()) {
            return node;
        }
        var renamed = Json.object();
        node.properties().stream()
                .filter(entry -> !entry.getValue().isNull())
                .forEach(entry -> renamed.set(name.apply(entry.getKey()), rename(entry.getValue(), name)));
        return renamed;
    }

    /** Returns the provisioning service of a fixture. */
    public static IProvisioningService provisioning(TenantsFixture fixture) {
        return new IProvisioningService() {
            @Override
            public JsonNode provisionTenant(JsonNode request) {
                var body = (ObjectNode) toSnakeCase(request);
                body.remove("org_id"); // it is in the path
                var created = json(fixture.call(fixture.api::create, Map.of(), body));
                var tenant =
                        fixture.awaitStatus(UUID.fromString(created.path("id").asText()), "active");
                return getTenantStatus(tenant.id().toString());
            }

            @Override
            public void suspendTenant(String tenantId) {
                json(fixture.call(fixture.api::suspend, path(tenantId), Json.object()));
            }

            @Override
            public void resumeTenant(String tenantId) {
                json(fixture.call(fixture.api::resume, path(tenantId), null));
            }

            @Override
            public void destroyTenant(String tenantId) {
                json(await(fixture.api.delete(
                        TenantsFixture.request(ORG, path(tenantId), Map.of("grace_hours", "0"), null))));
            }

            @Override
            public JsonNode getTenantStatus(String tenantId) {
                return toCamelCase(json(fixture.call(fixture.api::status, path(tenantId), null)));
            }

            @Override
            public void migrateTenantPlan(String tenantId, String newPlan) {
                json(fixture.call(
                        fixture.api::migratePlan, path(tenantId), Json.object().put("plan", newPlan)));
            }
        };
    }

    private static Map<String, String> path(String tenantId) {
        return Map.of("tenant_id", tenantId);
    }
}
