package dev.slipway.policy;

import dev.slipway.contract.RegistrySeeds;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
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

    /** Those that the platform starts with. */
    public static PolicyKeys seeded() {
        var keys = new ArrayList<PolicyKey>();
        for (var seed : RegistrySeeds.load().entries()) {
            var key = seed.kind().equals("policy") ? PolicyKey.of(seed.id(), seed.version(), seed.body()) : null;
            if (key != null) {
                keys.add(key);
            }
        }
        return of(keys);
    }

    public @Nullable PolicyKey find(String id) {
        return byId.get(id);
    }
}
