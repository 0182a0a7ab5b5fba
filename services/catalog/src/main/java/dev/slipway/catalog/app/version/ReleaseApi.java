package dev.slipway.catalog.app.version;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.app.manifest.ManifestProblem;
import dev.slipway.catalog.app.manifest.ManifestValidator;
import dev.slipway.catalog.app.manifest.ManifestValidator.ValidationReport;
import dev.slipway.catalog.app.version.VersionJson.AdminVersionResponse;
import dev.slipway.catalog.app.version.VersionJson.AuditMetadata;
import dev.slipway.catalog.app.version.VersionJson.AuditedVersion;
import dev.slipway.catalog.app.version.VersionJson.DeprecateRequest;
import dev.slipway.catalog.app.version.VersionJson.ManifestReport;
import dev.slipway.catalog.app.version.VersionJson.ManifestRequest;
import dev.slipway.catalog.app.version.domain.AppVersion;
import dev.slipway.catalog.app.version.domain.AppVersion.ManifestContent;
import dev.slipway.catalog.app.version.domain.AppVersion.Status;
import dev.slipway.catalog.app.version.domain.VersionDecision;
import dev.slipway.catalog.app.version.domain.VersionDecision.Accepted;
import dev.slipway.catalog.app.version.domain.VersionDecision.Refused;
import dev.slipway.catalog.app.version.domain.VersionDecision.Unchanged;
import dev.slipway.catalog.app.version.domain.VersionLifecycle;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.AuditEntry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;

/** API operations with which administrators register, publish and retire versions. */
public final class ReleaseApi {
    private final VersionStore store;
    private final ManifestValidator manifests;
    private final Mutations mutations;
    private final QueryExecutor reads;
    private final Function<List<UUID>, Future<Map<UUID, Long>>> countInstances;
    private final BiFunction<UnitOfWork, AppVersion, Future<@Nullable UUID>> releaseGates;

    /**
     * @param countInstances returns the number of live instances by version id
     * @param releaseGates returns the verdict of the release gates of a version, or null if it needs none; fails if they have not passed
     */
    public ReleaseApi(
            VersionStore store,
            ManifestValidator manifests,
            Mutations mutations,
            QueryExecutor reads,
            Function<List<UUID>, Future<Map<UUID, Long>>> countInstances,
            BiFunction<UnitOfWork, AppVersion, Future<@Nullable UUID>> releaseGates) {
        this.store = store;
        this.manifests = manifests;
        this.mutations = mutations;
        this.reads = reads;
        this.countInstances = countInstances;
        this.releaseGates = releaseGates;
    }

    public Future<Reply> manifestSchema(Request request) {
        return Future.succeededFuture(Reply.of(manifests.schema()));
    }

    public Future<Reply> validate(Request request) {
        var manifest = manifest(request);
        return manifests.validate(reads, manifest, null, null).map(report -> {
            var digest = report.isWellFormed() ? CanonicalJson.digest(manifest) : null;
            var problems = report.problems();
            return Reply.ofRecord(new ManifestReport(problems.isEmpty(), digest, problems));
        });
    }

    public Future<Reply> list(Request request) {
        return store.listAll(request.query("app_slug"), request.query("status"), request.cursor(), request.limit())
                .compose(page -> countInstances
                        .apply(page.items().stream().map(AppVersion::id).toList())
                        .map(counts -> page.toReply(version -> Json.toObject(
                                AdminVersionResponse.of(version, counts.getOrDefault(version.id(), 0L), List.of())))));
    }

    public Future<Reply> get(Request request) {
        return store.find(reads, request.path("app_slug"), request.path("version"))
                .compose(version -> reply(reads, version));
    }

    /** Registers a draft, which only administrators can see. */
    public Future<Reply> register(Request request) {
        var slug = request.path("app_slug");
        var manifest = manifest(request);
        return mutations.run(request, unit -> store.lockApp(unit, slug).compose(appId -> manifests
                .validate(unit, manifest, slug, null)
                .compose(report -> insertDraft(request, unit, appId, manifest, requireWellFormed(report)))));
    }

    private Future<Reply> insertDraft(
            Request request, UnitOfWork unit, UUID appId, JsonNode manifest, ValidationReport report) {
        var version = manifest.path("version").asText();
        var draft = VersionLifecycle.register(
                Ids.next(), appId, request.path("app_slug"), version, content(manifest), unit.now());
        return store.insert(unit, draft).map(inserted -> {
            if (!inserted) {
                throw Problem.validationOf(
                                ErrorCode.SLUG_TAKEN,
                                "/manifest/version",
                                "is taken: the app has, or had, a version \"" + version + "\"")
                        .asException();
            }
            audit(request, unit, "apps.version.register", null, draft);
            var location = "/api/v1/admin/apps/versions/" + draft.appSlug() + "/" + version;
            return Reply.ofRecord(AdminVersionResponse.of(draft, 0, report.problems()), location);
        });
    }

    public Future<Reply> replace(Request request) {
        var manifest = manifest(request);
        var expected = Json.toRecord(request.body(), ManifestRequest.class).expectedDigest();
        return changeVersion(request, "apps.version.register", (unit, current) -> manifests
                .validate(unit, manifest, current.appSlug(), current.version())
                .map(ReleaseApi::requireWellFormed)
                .map(report -> VersionLifecycle.replace(current, content(manifest), expected, unit.now())));
    }

    public Future<Reply> publish(Request request) {
        return changeVersion(
                request,
                "apps.version.publish",
                (unit, current) -> current.status() == Status.DRAFT
                        ? validateStored(unit, current)
                                .map(report -> VersionLifecycle.publish(
                                        current,
                                        Json.text(requirePublishable(report).registryVersions()),
                                        unit.now()))
                                .compose(decision -> requireReleaseGates(unit, decision))
                        : Future.succeededFuture(VersionLifecycle.publish(current, "{}", unit.now())));
    }

    /** Publication needs passed release gates, if the policy of the platform says so. */
    private Future<VersionDecision> requireReleaseGates(UnitOfWork unit, VersionDecision decision) {
        return decision instanceof Accepted accepted
                ? releaseGates
                        .apply(unit, accepted.next())
                        .map(verdictId -> new Accepted(accepted.next().withReleaseVerdict(verdictId), accepted.event()))
                : Future.succeededFuture(decision);
    }

    public Future<Reply> deprecate(Request request) {
        var body = Json.toRecord(request.body(), DeprecateRequest.class);
        var date = body.date();
        var successor = body.successor();
        var until = date == null ? null : LocalDate.parse(date);
        return changeVersion(request, "apps.version.deprecate", (unit, current) -> store.listPublishedNames(
                        unit, current.appSlug())
                .map(published -> {
                    if (successor != null && (!published.contains(successor) || successor.equals(current.version()))) {
                        throw Problem.validationOf(
                                        ErrorCode.VALIDATION_ERROR,
                                        "/successor",
                                        "is not another published version of this app")
                                .asException();
                    }
                    return VersionLifecycle.deprecate(current, until, successor, unit.now());
                }));
    }

    public Future<Reply> disable(Request request) {
        return changeVersion(
                request,
                "apps.version.disable",
                (unit, current) -> Future.succeededFuture(VersionLifecycle.disable(current, unit.now())));
    }

    public Future<Reply> retire(Request request) {
        return changeVersion(request, "apps.version.retire", (unit, current) -> countInstances(current)
                .map(live -> VersionLifecycle.retire(current, live, unit.now())));
    }

    /** Locks the version, decides, and applies the decision. */
    private Future<Reply> changeVersion(
            Request request, String action, BiFunction<UnitOfWork, AppVersion, Future<VersionDecision>> decide) {
        return mutations.run(request, unit -> store.lock(unit, request.path("app_slug"), request.path("version"))
                .compose(current ->
                        decide.apply(unit, current).map(decision -> apply(request, unit, action, current, decision)))
                .compose(next -> reply(unit, next)));
    }

    private AppVersion apply(
            Request request, UnitOfWork unit, String action, AppVersion before, VersionDecision decision) {
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        if (decision instanceof Accepted accepted) {
            store.update(unit, accepted.next(), accepted.event());
            audit(request, unit, action, before, accepted.next());
            return accepted.next();
        }
        return ((Unchanged) decision).current();
    }

    private Future<Reply> reply(QueryExecutor executor, AppVersion version) {
        return findProblems(executor, version).compose(problems -> countInstances(version)
                .map(live -> Reply.ofRecord(AdminVersionResponse.of(version, live, problems))));
    }

    private Future<List<ManifestProblem>> findProblems(QueryExecutor executor, AppVersion version) {
        return version.status() == Status.DRAFT
                ? validateStored(executor, version).map(ValidationReport::problems)
                : Future.succeededFuture(List.of());
    }

    private Future<ValidationReport> validateStored(QueryExecutor executor, AppVersion version) {
        return manifests.validate(
                executor, Json.parseStoredObject(version.manifest()), version.appSlug(), version.version());
    }

    private Future<Long> countInstances(AppVersion version) {
        return countInstances.apply(List.of(version.id())).map(counts -> counts.getOrDefault(version.id(), 0L));
    }

    private static JsonNode manifest(Request request) {
        return Json.toRecord(request.body(), ManifestRequest.class).manifest();
    }

    /** A draft may have problems, but it must be well-formed. */
    private static ValidationReport requireWellFormed(ValidationReport report) {
        var problems = report.problems().stream()
                .filter(problem -> problem.code().isStructural())
                .map(problem -> problem.toFieldProblem("/manifest"))
                .toList();
        if (!problems.isEmpty()) {
            throw Problem.validation(problems).asException();
        }
        return report;
    }

    private static ValidationReport requirePublishable(ValidationReport report) {
        if (!report.problems().isEmpty()) {
            throw Problem.validationOf(
                            ErrorCode.MANIFEST_INVALID,
                            report.problems().stream()
                                    .map(problem -> problem.toFieldProblem("/manifest"))
                                    .toList())
                    .asException();
        }
        return report;
    }

    private static ManifestContent content(JsonNode manifest) {
        return new ManifestContent(
                manifest.path("runtime_backend").asText(), Json.text(manifest), CanonicalJson.digest(manifest));
    }

    private static void audit(
            Request request, UnitOfWork unit, String action, @Nullable AppVersion before, AppVersion after) {
        var metadata = new AuditMetadata(before == null ? null : AuditedVersion.of(before), AuditedVersion.of(after));
        var target = after.appSlug() + "/" + after.version();
        AuditTrail.recordSuccess(
                unit,
                request.principal(),
                new AuditEntry(action, "app_version", target, null, null, Json.toObject(metadata)));
    }
}
