package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.contract.Json;
import dev.slipway.messaging.QueryExecutor;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** Finds active artifact types in their registry. */
public final class ArtifactTypeLookup {
    private final BiFunction<QueryExecutor, String, Future<@Nullable TypeEntry>> findActive;

    /** {@code findActive} finds an active entry of the registry by its id. */
    public ArtifactTypeLookup(BiFunction<QueryExecutor, String, Future<@Nullable TypeEntry>> findActive) {
        this.findActive = findActive;
    }

    /** An entry of the artifact type registry. {@code body} is JSON text. */
    public record TypeEntry(String id, int version, String body) {}

    private record TypeBody(
            @Nullable Boolean deployable,
            @Nullable String signingRequirement,
            @Nullable PromotionPolicy promotionPolicy,
            @Nullable List<String> predicateTypes) {}

    private record PromotionPolicy(@Nullable List<String> channels) {}

    /** Returns null if the type is unknown or not active. */
    Future<@Nullable ArtifactType> find(QueryExecutor executor, String id) {
        return findActive.apply(executor, id).map(entry -> entry == null ? null : fromEntry(entry));
    }

    /** Missing or unknown requirements are interpreted as the strictest ones. */
    static ArtifactType fromEntry(TypeEntry entry) {
        var body = Json.toRecord(Json.parseStoredObject(entry.body), TypeBody.class);
        var promotion = body.promotionPolicy;
        var channels = promotion == null || promotion.channels == null ? List.<String>of() : promotion.channels;
        return new ArtifactType(
                entry.id,
                entry.version,
                body.deployable == null || body.deployable,
                signing(body.signingRequirement),
                Arrays.stream(Channel.values())
                        .filter(channel -> channels.contains(channel.text()))
                        .toList(),
                body.predicateTypes == null ? List.of() : body.predicateTypes);
    }

    private static Signing signing(@Nullable String requirement) {
        return switch (requirement == null ? "" : requirement) {
            case "none" -> Signing.NONE;
            case "signature" -> Signing.SIGNATURE;
            default -> Signing.ATTESTATION;
        };
    }
}
