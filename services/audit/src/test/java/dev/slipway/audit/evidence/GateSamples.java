package dev.slipway.audit.evidence;

import dev.slipway.audit.evidence.EvidenceStore.StoredType;
import dev.slipway.audit.evidence.domain.EvidenceItem;
import dev.slipway.audit.evidence.domain.EvidenceType;
import dev.slipway.audit.evidence.domain.GateRequirement;
import dev.slipway.audit.evidence.domain.ReleaseAttributes;
import dev.slipway.audit.evidence.domain.TypeFamilies;
import dev.slipway.contract.Ids;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.domain.RegistryKind;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A release and its complete evidence, and the evidence types that the platform is delivered with. */
final class GateSamples {
    static final Instant NOW = Instant.parse("2026-11-17T12:00:00Z");
    static final String SHA = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    static final String OTHER_SHA = "0000000000000000000000000000000000000001";
    private static final List<EvidenceType> TYPES = RegistrySeeds.load().entries().stream()
            .filter(entry -> entry.kind() == RegistryKind.EVIDENCE_TYPE)
            .map(entry ->
                    EvidenceTypes.toType(new StoredType(entry.id(), entry.version(), entry.lifecycle(), entry.body())))
            .toList();
    static final List<GateRequirement> SEEDS = TYPES.stream()
            .map(EvidenceType::requirement)
            .filter(Objects::nonNull)
            .toList();
    static final List<TypeFamilies> FAMILIES =
            TYPES.stream().map(EvidenceType::families).toList();

    private GateSamples() {}

    static ReleaseAttributes release(boolean production, boolean capacity) {
        return new ReleaseAttributes(
                "echo", "1.4.0", SHA, "main", "production", "eu", production, capacity, List.of("launch-app"));
    }

    static List<EvidenceItem> complete() {
        var complete = new ArrayList<EvidenceItem>();
        for (var contract : List.of("openapi", "asyncapi", "sdk")) {
            complete.add(item("contract_drift", contract, "current", SHA, null));
        }
        for (var suite : List.of("demo", "launch-app")) {
            complete.add(item("acceptance_test", suite, "passed", SHA, "staging"));
        }
        for (var check : List.of("scan", "authz", "secret", "audit")) {
            complete.add(item("security_scan", check, "passed", SHA, null));
        }
        for (var part : List.of("host", "dns", "tls", "registry", "secret", "package")) {
            complete.add(item("environment_profile", part, "consistent", SHA, "production"));
        }
        complete.add(item("migration_status", "release", "applied", SHA, null));
        complete.add(item("runtime_health", "environment", "healthy", SHA, "production"));
        complete.add(item("capacity_posture", "canary", "recorded", SHA, null));
        complete.add(item("product_approval", "release", "approved", SHA, null));
        complete.add(item("platform_approval", "release", "approved", SHA, null));
        complete.add(item("residual_risk", "release", "accepted", SHA, null));
        return complete;
    }

    static EvidenceItem item(String type, String subject, String result, String sha, @Nullable String environment) {
        var digest = "sha256:" + (type + subject + result + sha).hashCode();
        return new EvidenceItem(Ids.next(), type, subject, result, sha, environment, "eu", digest, null);
    }
}
