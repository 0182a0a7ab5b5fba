package dev.slipway.catalog.version;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.launched.InstanceCounts;
import dev.slipway.catalog.manifest.ManifestCheck;
import dev.slipway.catalog.manifest.ManifestCheck.Report;
import dev.slipway.catalog.manifest.ManifestProblem;
import dev.slipway.catalog.version.domain.AppVersion;
import dev.slipway.catalog.version.domain.AppVersion.Content;
import dev.slipway.catalog.version.domain.AppVersion.Status;
import dev.slipway.catalog.version.domain.Decision;
import dev.slipway.catalog.version.domain.Decision.Accepted;
import dev.slipway.catalog.version.domain.Decision.Refused;
import dev.slipway.catalog.version.domain.Decision.Unchanged;
import dev.slipway.catalog.version.domain.VersionLifecycle;
import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Queries;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.AuditTrail;
import dev.slipway.service.AuditTrail.Entry;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;

/** The operations that bring a version from a draft to its end. Every answer says how many instances of it live. */
public final class ReleaseApi {
    private final VersionStore store;
    private final ManifestCheck manifests;
    private final Mutations mutations;
    private final Queries reads;
    private final InstanceCounts instances;

    public ReleaseApi(
            VersionStore store, ManifestCheck manifests, Mutations mutations, Queries reads, InstanceCounts instances) {
        this.store = store;
        this.manifests = manifests;
        this.mutations = mutations;
        this.reads = reads;
        this.instances = instances;
    }

    public Future<Reply> manifestSchema(Request request) {
        return Future.succeededFuture(Reply.of(manifests.schema()));
    }

    public Future<Reply> validate(Request request) {
        var manifest = request.body().path("manifest");
        return manifests.check(reads, manifest, null, null).map(report -> {
            var whole = report.problems().stream().noneMatch(ManifestProblem::isOfShape);
            var body = Json.object()
                    .put("publishable", report.problems().isEmpty())
                    .put("manifest_digest", whole ? CanonicalJson.digest(manifest) : null);
            var problems = body.putArray("problems");
            report.problems().forEach(problem -> problems.add(problem.json()));
            return Reply.of(body);
        });
    }

    public Future<Reply> list(Request request) {
        return store.listAll(request.query("app_slug"), request.query("status"), request.cursor(), request.limit())
                .compose(page -> instances
                        .of(page.items().stream().map(AppVersion::id).toList())
                        .map(counts -> page.reply(version ->
                                VersionJson.full(version, counts.getOrDefault(version.id(), 0L), List.of()))));
    }

    public Future<Reply> get(Request request) {
        return store.find(reads, request.path("app_slug"), request.path("version"))
                .compose(version -> problems(reads, version).compose(problems -> count(version)
                        .map(live -> Reply.of(VersionJson.full(version, live, problems)))));
    }

    /** As a draft, which only administrators see. */
    public Future<Reply> register(Request request) {
        var slug = request.path("app_slug");
        var manifest = request.body().path("manifest");
        return mutations.run(request, unit -> store.lockApp(unit, slug).compose(appId -> manifests
                .check(unit, manifest, slug, null)
                .compose(report -> add(request, unit, appId, manifest, keepable(report)))));
    }

    private Future<Reply> add(Request request, UnitOfWork unit, UUID appId, JsonNode manifest, Report report) {
        var version = manifest.path("version").asText();
        var draft = VersionLifecycle.register(
                Ids.next(), appId, request.path("app_slug"), version, content(manifest), unit.now());
        return store.add(unit, draft).map(added -> {
            if (!added) {
                throw Problem.validationOf(
                                ErrorCode.SLUG_TAKEN,
                                "/manifest/version",
                                "is taken: the app has, or had, a version \"" + version + "\"")
                        .asException();
            }
            audit(request, unit, "apps.version.register", null, draft);
            var location = "/api/v1/admin/apps/versions/" + draft.appSlug() + "/" + version;
            return Reply.of(VersionJson.full(draft, 0, report.problems()), location);
        });
    }

    public Future<Reply> replace(Request request) {
        var manifest = request.body().path("manifest");
        var expected = request.body().path("expected_digest").textValue();
        return change(request, "apps.version.register", (unit, current) -> manifests
                .check(unit, manifest, current.appSlug(), current.version())
                .map(ReleaseApi::keepable)
                .map(report -> VersionLifecycle.replace(current, content(manifest), expected, unit.now())));
    }

    public Future<Reply> publish(Request request) {
        return change(
                request,
                "apps.version.publish",
                (unit, current) -> current.status() == Status.DRAFT
                        ? manifests
                                .check(unit, Json.trusted(current.manifest()), current.appSlug(), current.version())
                                .map(report -> VersionLifecycle.publish(
                                        current, Json.text(faultless(report).registryVersions()), unit.now()))
                        : Future.succeededFuture(VersionLifecycle.publish(current, "{}", unit.now())));
    }

    public Future<Reply> deprecate(Request request) {
        var date = request.body().path("date").textValue();
        var successor = request.body().path("successor").textValue();
        var until = date == null ? null : LocalDate.parse(date);
        return change(request, "apps.version.deprecate", (unit, current) -> store.published(unit, current.appSlug())
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
        return change(
                request,
                "apps.version.disable",
                (unit, current) -> Future.succeededFuture(VersionLifecycle.disable(current, unit.now())));
    }

    public Future<Reply> retire(Request request) {
        return change(request, "apps.version.retire", (unit, current) -> count(current)
                .map(live -> VersionLifecycle.retire(current, live, unit.now())));
    }

    /** Behind the version's lock: of two who change it, the second decides on what the first left. */
    private Future<Reply> change(
            Request request, String action, BiFunction<UnitOfWork, AppVersion, Future<Decision>> decide) {
        return mutations.run(request, unit -> store.lock(unit, request.path("app_slug"), request.path("version"))
                .compose(current ->
                        decide.apply(unit, current).map(decision -> apply(request, unit, action, current, decision)))
                .compose(next -> problems(unit, next).compose(problems -> count(next)
                        .map(live -> Reply.of(VersionJson.full(next, live, problems))))));
    }

    private AppVersion apply(Request request, UnitOfWork unit, String action, AppVersion before, Decision decision) {
        if (decision instanceof Refused refused) {
            throw Problem.of(ErrorCode.of(refused.code()), refused.message()).asException();
        }
        if (decision instanceof Accepted accepted) {
            store.update(unit, accepted.next(), accepted.event());
            audit(request, unit, action, before, accepted.next());
            return accepted.next();
        }
        return ((Unchanged) decision).as();
    }

    private Future<List<ManifestProblem>> problems(Queries from, AppVersion version) {
        return version.status() == Status.DRAFT
                ? manifests
                        .check(from, Json.trusted(version.manifest()), version.appSlug(), version.version())
                        .map(Report::problems)
                : Future.succeededFuture(List.of());
    }

    private Future<Long> count(AppVersion version) {
        return instances.of(List.of(version.id())).map(counts -> counts.getOrDefault(version.id(), 0L));
    }

    /** A draft may have problems, but it must be possible to read it. */
    private static Report keepable(Report report) {
        var faults = report.problems().stream()
                .filter(ManifestProblem::isOfShape)
                .map(problem -> problem.field("/manifest"))
                .toList();
        if (!faults.isEmpty()) {
            throw Problem.validation(faults).asException();
        }
        return report;
    }

    private static Report faultless(Report report) {
        if (!report.problems().isEmpty()) {
            throw Problem.validationOf(
                            ErrorCode.MANIFEST_INVALID,
                            report.problems().stream()
                                    .map(problem -> problem.field("/manifest"))
                                    .toList())
                    .asException();
        }
        return report;
    }

    private static Content content(JsonNode manifest) {
        return new Content(
                manifest.path("runtime_backend").asText(), Json.text(manifest), CanonicalJson.digest(manifest));
    }

    private static void audit(
            Request request, UnitOfWork unit, String action, @Nullable AppVersion before, AppVersion after) {
        var metadata = Json.object();
        metadata.set("before", before == null ? null : VersionJson.audited(before));
        metadata.set("after", VersionJson.audited(after));
        var target = after.appSlug() + "/" + after.version();
        AuditTrail.success(unit, request.principal(), new Entry(action, "app_version", target, null, null, metadata));
    }
}
