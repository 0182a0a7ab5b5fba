package dev.slipway.catalog.artifact;

import dev.slipway.catalog.artifact.SourcePolicy.AllowedSources;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Lists the sources that artifacts can be pushed to and pulled from. */
public final class SourceApi {
    private static final AllowedSources ALL = new AllowedSources(null, host -> true, "");

    private final List<PlatformSource> platformSources;
    private final SourcePolicy policy;

    public SourceApi(List<PlatformSource> platformSources, SourcePolicy policy) {
        this.platformSources = List.copyOf(platformSources);
        this.policy = policy;
    }

    private record SourceResponse(
            @Nullable String name,
            String tier,
            @Nullable String sourceType,
            String host,
            List<String> pull,
            @Nullable String pushNamespace,
            String credentials) {

        static SourceResponse ofPlatform(PlatformSource source, @Nullable UUID projectId) {
            return new SourceResponse(
                    source.name(),
                    "platform",
                    source.sourceType(),
                    source.host(),
                    List.of(source.namespace()),
                    projectId == null ? null : source.pushNamespace(projectId),
                    source.tokenService() == null ? "none" : "intent");
        }

        static SourceResponse ofTenant(String hostPattern) {
            return new SourceResponse(null, "tenant", null, hostPattern, List.of(""), null, "none");
        }
    }

    private record SourceList(List<SourceResponse> items) {}

    public Future<Reply> listSources(Request request) {
        var projectId = request.projectIdOrNull();
        return projectId == null
                ? Future.succeededFuture(reply(null, ALL))
                : policy.find(Objects.requireNonNull(request.orgId()), projectId, null)
                        .map(allowed -> reply(projectId, allowed));
    }

    private Reply reply(@Nullable UUID projectId, AllowedSources allowed) {
        var items = new ArrayList<SourceResponse>();
        for (var source : platformSources) {
            if (allowed.allows().test(source.host())) {
                items.add(SourceResponse.ofPlatform(source, projectId));
            }
        }
        var patterns = allowed.patterns();
        for (var pattern : patterns == null ? List.<String>of() : patterns) {
            if (platformSources.stream().noneMatch(source -> source.host().equals(pattern))) {
                items.add(SourceResponse.ofTenant(pattern));
            }
        }
        return Reply.ofRecord(new SourceList(items));
    }
}
