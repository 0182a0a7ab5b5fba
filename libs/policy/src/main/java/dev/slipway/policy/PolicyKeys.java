package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.RegistrySeeds;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The keys that policy may speak of, and the names of those that the platform itself acts on. */
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

    public PolicyKeys {
        byId = Collections.unmodifiableMap(new TreeMap<>(byId));
    }

    public static PolicyKeys of(Collection<PolicyKey> keys) {
        var byId = new TreeMap<String, PolicyKey>();
        keys.forEach(key -> byId.put(key.id(), key));
        return new PolicyKeys(byId);
    }

    /** An entry of the policy registry. */
    public record Entry(String id, int version, String state, JsonNode body) {
        boolean isIn(String... states) {
            return Set.of(states).contains(state);
        }
    }

    /** Those that the platform starts with, and acts on itself. */
    public static PolicyKeys seeded() {
        return Seeds.KEYS;
    }

    /**
     * What is looked at: the seeds, and what the registry has made of them and added. A retired key is looked at no more, but for those
     * that the platform acts on itself: without them it would not know what is allowed.
     */
    public static PolicyKeys inForce(Collection<Entry> registered) {
        var keys = new TreeMap<>(seeded().byId);
        for (var entry : registered) {
            var key = PolicyKey.of(entry.id, entry.version, entry.body);
            var looked = entry.isIn("active", "deprecated") || (entry.isIn("retired") && keys.containsKey(entry.id));
            if (key != null && looked) {
                keys.put(entry.id, key);
            }
        }
        return new PolicyKeys(keys);
    }

    /** What may be said anew. */
    public static PolicyKeys writable(Collection<Entry> registered) {
        var keys = new ArrayList<PolicyKey>();
        for (var entry : registered) {
            var key = entry.isIn("active") ? PolicyKey.of(entry.id, entry.version, entry.body) : null;
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
                var key = seed.kind().equals("policy") ? PolicyKey.of(seed.id(), seed.version(), seed.body()) : null;
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
