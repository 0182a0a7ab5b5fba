package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.tenants.deployment.domain.BundleContent;
import dev.slipway.tenants.deployment.domain.NamedDocument;
import dev.slipway.tenants.deployment.domain.SeedRecord;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/** The JSON of bundles. */
public final class BundleJson {
    private BundleJson() {}

    /** The version, checksum and origin of a bundle. */
    public record ManifestBody(
            String version,
            @Nullable String checksum,
            @Nullable ObjectNode metadata,
            @Nullable Instant createdAt) {}

    /** The members of a bundle that are deployed. Absent members are empty. */
    public record ContentBody(
            List<ObjectDefinition> objects,
            List<ObjectNode> views,
            List<ObjectNode> flows,
            List<ObjectNode> permissions,
            List<SeedRecord> seedData) {
        public static final ContentBody EMPTY = new ContentBody(null, null, null, null, null);

        public ContentBody(
                @Nullable List<ObjectDefinition> objects,
                @Nullable List<ObjectNode> views,
                @Nullable List<ObjectNode> flows,
                @Nullable List<ObjectNode> permissions,
                @Nullable List<SeedRecord> seedData) {
            this.objects = orEmpty(objects);
            this.views = orEmpty(views);
            this.flows = orEmpty(flows);
            this.permissions = orEmpty(permissions);
            this.seedData = orEmpty(seedData);
        }

        private static <T> List<T> orEmpty(@Nullable List<T> items) {
            return items == null ? List.of() : List.copyOf(items);
        }

        public BundleContent content() {
            return new BundleContent(objects, documents(views), documents(flows), documents(permissions), seedData);
        }
    }

    /** The part of a document that the platform interprets. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record DocumentHead(String name, @Nullable String object) {}

    static List<NamedDocument> documents(List<ObjectNode> nodes) {
        return nodes.stream().map(BundleJson::document).toList();
    }

    private static NamedDocument document(ObjectNode node) {
        var head = Json.toRecord(node, DocumentHead.class);
        return new NamedDocument(head.name, head.object, CanonicalJson.digest(node));
    }

    /** Returns the checksum of a bundle: the digest of its content as it was sent, with absent members as empty lists. */
    public static String checksum(JsonNode bundle) {
        var content = Json.object();
        for (var member : List.of("objects", "views", "flows", "permissions", "seed_data")) {
            content.set(member, bundle.has(member) ? bundle.get(member) : Json.array());
        }
        return CanonicalJson.digest(content);
    }
}
