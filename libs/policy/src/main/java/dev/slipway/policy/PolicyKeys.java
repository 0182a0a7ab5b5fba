package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** A set of policy keys, and the ids of those that the platform evaluates. */
public record PolicyKeys(Map<String, PolicyKey> byId) {
    public static final String ALLOWED_APPS = "allowed_apps";
    public static final String ALLOWED_REGIONS = "allowed_regions";
    public static final String ALLOWED_SKUS = "allowed_skus";
    public static final String MAX_INSTANCES = "max_instances_per_project";
    public static final String MAX_GPUS = "max_gpus_per_instance";
    public static final String ARTIFACT_SOURCES = "artifact_source_allowlist";
    public static final String OPERATING_MODES = "allowed_operating_modes";
    public static final String CONTROL_PLANE_SCOPES = "allowed_control_plane_scopes";
    public static final String DEPRECATED_VERSIONS = "allow_deprecated_versions";
    public static final String ENTITLEMENT_MUTATIONS = "features.entitlement_mutations";
    public static final String INSTANCE_MUTATIONS = "features.instance_mutations";
    public static final String UNGATED_PRODUCTS = "ungated_products";

    public PolicyKeys {
        byId = Collections.unmodifiableMap(new TreeMap<>(byId));
    }

    public static PolicyKeys of(Collection<PolicyKey> keys) {
        var byId = new TreeMap<String, PolicyKey>();
        keys.forEach(key -> byId.put(key.id(), key));
        return new PolicyKeys(byId);
    }

    /** An entry of the policy registry. */
    public record RegisteredKey(String id, int version, RegistryLifecycle state, JsonNode body) {}

    /** Returns the keys of the registry seeds, which the platform evaluates. */
    public static PolicyKeys seeded() {
        return Seeds.KEYS;
    }

    /**
     * Returns the keys that are evaluated: the seeds, updated and extended by the registry. Retired keys are ignored, except for the
     * seeded ones, which the platform cannot do without.
     */
    public static PolicyKeys effectiveKeys(Collection<RegisteredKey> registered) {
        var keys = new TreeMap<>(seeded().byId);
        for (var registeredKey : registered) {
            var key = PolicyKey.of(registeredKey.id, registeredKey.version, registeredKey.body);
            var isEvaluated = registeredKey.state.isUsable()
                    || (registeredKey.state == RegistryLifecycle.RETIRED && keys.containsKey(registeredKey.id));
            if (key != null && isEvaluated) {
                keys.put(registeredKey.id, key);
            }
        }
        return new PolicyKeys(keys);
    }

    /** Returns the keys that documents may set: the active ones. */
    public static PolicyKeys writable(Collection<RegisteredKey> registered) {
        var keys = new ArrayList<PolicyKey>();
        for (var registeredKey : registered) {
            var key = registeredKey.state == RegistryLifecycle.ACTIVE
                    ? PolicyKey.of(registeredKey.id, registeredKey.version, registeredKey.body)
                    : null;
            if (key != null) {
                keys.add(key);
            }
        }
        return of(keys);
    }

    private static final class Seeds {
        private static final PolicyKeys KEYS = load();

        private static PolicyKeys load() {
            var keys = new ArrayList<PolicyKey>();
            for (var seed : RegistrySeeds.load().entries()) {
                var key = seed.kind() == RegistryKind.POLICY
                        ? PolicyKey.of(seed.id(), seed.version(), seed.body())
                        : null;
                if (key != null) {
                    keys.add(key);
                }
            }
            return of(keys);
        }
    }

    public @Nullable PolicyKey find(String id) {
        return byId.get(id);
    }
}
