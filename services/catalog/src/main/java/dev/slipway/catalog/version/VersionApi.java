package dev.slipway.catalog.version;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.entitlement.Launchability;
import dev.slipway.catalog.entitlement.Launchability.Verdict;
import dev.slipway.catalog.version.domain.AppVersion;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What tenants read of versions; in the view of a project, with whether that could launch them. */
public final class VersionApi {
    private final VersionStore store;
    private final Launchability launchability;

    public VersionApi(VersionStore store, Launchability launchability) {
        this.store = store;
        this.launchability = launchability;
    }

    public Future<Reply> list(Request request) {
        return store.listTold(request.path("app_slug"), request.cursor(), request.limit())
                .compose(page -> verdicts(request, page.items())
                        .map(verdicts -> page.reply(version -> told(version, verdicts))));
    }

    public Future<Reply> get(Request request) {
        return found(request).compose(version -> verdicts(request, List.of(version))
                .map(verdicts -> Reply.of(told(version, verdicts))));
    }

    public Future<Reply> launchSchema(Request request) {
        return found(request).map(version -> Reply.of(VersionJson.launchSchema(version)));
    }

    private Future<AppVersion> found(Request request) {
        return store.findTold(request.path("app_slug"), request.path("version"));
    }

    private Future<Map<UUID, Verdict>> verdicts(Request request, List<AppVersion> versions) {
        var orgId = request.orgId();
        var projectId = request.projectIdOrNull();
        return orgId == null || projectId == null
                ? Future.succeededFuture(Map.of())
                : launchability.of(
                        orgId, projectId, versions.stream().map(AppVersion::id).toList());
    }

    private static ObjectNode told(AppVersion version, Map<UUID, Verdict> verdicts) {
        var node = VersionJson.told(version);
        var verdict = verdicts.get(version.id());
        return verdict == null
                ? node
                : node.put("launchable", verdict.launchable()).put("not_launchable_reason", verdict.reason());
    }
}
