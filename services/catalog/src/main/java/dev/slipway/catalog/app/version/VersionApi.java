package dev.slipway.catalog.app.version;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.app.EligibilityLookup;
import dev.slipway.catalog.app.LaunchFields;
import dev.slipway.catalog.app.version.VersionJson.LaunchSchemaResponse;
import dev.slipway.catalog.app.version.VersionJson.VersionFields;
import dev.slipway.catalog.app.version.VersionJson.VersionResponse;
import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.policy.domain.Eligibility;
import dev.slipway.contract.Json;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** API operations with which tenants read published versions. */
public final class VersionApi {
    private final VersionStore store;
    private final EligibilityLookup eligibility;

    public VersionApi(VersionStore store, EligibilityLookup eligibility) {
        this.store = store;
        this.eligibility = eligibility;
    }

    public Future<Reply> list(Request request) {
        return store.listPublished(request.path("app_slug"), request.cursor(), request.limit())
                .compose(page -> findEligibility(request, page.items())
                        .map(byVersion -> page.toReply(version -> toJson(version, byVersion))));
    }

    public Future<Reply> get(Request request) {
        return findPublished(request).compose(version -> findEligibility(request, List.of(version))
                .map(byVersion -> Reply.of(toJson(version, byVersion))));
    }

    public Future<Reply> launchSchema(Request request) {
        return findPublished(request).map(version -> Reply.ofRecord(LaunchSchemaResponse.of(version)));
    }

    private Future<AppVersion> findPublished(Request request) {
        return store.findPublished(request.path("app_slug"), request.path("version"));
    }

    /** Empty if the request names no project. */
    private Future<Map<UUID, Eligibility>> findEligibility(Request request, List<AppVersion> versions) {
        var orgId = request.orgId();
        var projectId = request.projectIdOrNull();
        return orgId == null || projectId == null
                ? Future.succeededFuture(Map.of())
                : eligibility.find(
                        orgId, projectId, versions.stream().map(AppVersion::id).toList());
    }

    private static ObjectNode toJson(AppVersion version, Map<UUID, Eligibility> byVersion) {
        var eligibility = byVersion.get(version.id());
        return Json.toObject(new VersionResponse(
                VersionFields.of(version), eligibility == null ? null : LaunchFields.of(eligibility)));
    }
}
