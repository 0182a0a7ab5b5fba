package dev.slipway.catalog.artifact;

import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.slipway.catalog.artifact.SourcePolicy.Allowed;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Where artifacts are pushed to and pulled from. */
public final class SourceApi {
    private final List<PlatformSource> shared;
    private final SourcePolicy policy;

    public SourceApi(List<PlatformSource> shared, SourcePolicy policy) {
        this.shared = List.copyOf(shared);
        this.policy = policy;
    }

    public Future<Reply> registry(Request request) {
        var projectId = request.projectIdOrNull();
        return projectId == null
                ? Future.succeededFuture(reply(null, new Allowed(null, host -> true, "nobody")))
                : policy.of(Objects.requireNonNull(request.orgId()), projectId, null)
                        .map(allowed -> reply(projectId, allowed));
    }

    private Reply reply(@Nullable UUID projectId, Allowed allowed) {
        var body = Json.object();
        var items = body.putArray("items");
        shared.stream()
                .filter(source -> allowed.allows().test(source.host()))
                .forEach(source -> add(items, projectId, source));
        var patterns = allowed.patterns();
        if (patterns != null) {
            patterns.stream()
                    .filter(pattern ->
                            shared.stream().noneMatch(source -> source.host().equals(pattern)))
                    .forEach(pattern -> addOwn(items, pattern));
        }
        return Reply.of(body);
    }

    private static void add(ArrayNode items, @Nullable UUID projectId, PlatformSource source) {
        var item = items.addObject()
                .put("name", source.name())
                .put("tier", "platform")
                .put("source_type", source.sourceType())
                .put("host", source.host());
        item.putArray("pull").add(source.namespace());
        item.put("push_namespace", projectId == null ? null : source.pushNamespace(projectId))
                .put("credentials", source.tokenService() == null ? "none" : "intent");
    }

    private static void addOwn(ArrayNode items, String pattern) {
        var item = items.addObject()
                .putNull("name")
                .put("tier", "tenant")
                .putNull("source_type")
                .put("host", pattern);
        item.putArray("pull").add("");
        item.putNull("push_namespace").put("credentials", "none");
    }
}
