package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.ArtifactType;
import dev.slipway.catalog.artifact.domain.ArtifactType.Signing;
import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.messaging.Queries;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The artifact types that can be put to use, out of their registry. */
public final class ArtifactTypes {
    private final RegistryStore registry;

    public ArtifactTypes(RegistryStore registry) {
        this.registry = registry;
    }

    /** An active type; null for one that is unknown or not active. */
    Future<@Nullable ArtifactType> find(Queries from, String id) {
        return registry.active(from, RegistryEntry.ARTIFACT_TYPE, List.of(id)).map(found -> {
            var entry = found.get(id);
            return entry == null ? null : type(entry);
        });
    }

    /** Doubt means more to be asked for: a requirement that is not known here is the hardest one. */
    static ArtifactType type(RegistryEntry entry) {
        var body = entry.body();
        var signing =
                switch (body.path("signing_requirement").asText()) {
                    case "none" -> Signing.NONE;
                    case "signature" -> Signing.SIGNATURE;
                    default -> Signing.ATTESTATION;
                };
        var channels = new ArrayList<Channel>();
        for (var channel : Channel.values()) {
            if (texts(body.path("promotion_policy").path("channels"))
                    .contains(channel.name().toLowerCase(Locale.ROOT))) {
                channels.add(channel);
            }
        }
        return new ArtifactType(
                entry.id(),
                entry.version(),
                body.path("deployable").asBoolean(true),
                signing,
                channels,
                texts(body.path("predicate_types")));
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }
}
