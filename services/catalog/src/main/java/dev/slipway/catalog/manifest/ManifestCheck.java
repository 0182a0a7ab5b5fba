package dev.slipway.catalog.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.catalog.manifest.ManifestProblem.Code;
import dev.slipway.catalog.registry.RegistryEntry;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.messaging.Queries;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Everything that is wrong with a manifest: by itself, and held against the registries and the artifacts that are trusted. */
public final class ManifestCheck {
    private static final String TRUSTED = "verified";

    private final Vertx vertx;
    private final ManifestRules rules;
    private final RegistryStore registries;
    private final Predicate<String> announced;
    private final BiFunction<Queries, Set<String>, Future<Map<String, String>>> trust;
    private final BiFunction<Queries, String, Future<Set<String>>> published;

    /**
     * @param announced whether IAM has told of a scope: it may still be on its way to the registry
     * @param trust the trust state of each digest; absent where it is not known
     * @param published the versions of an app, by its slug, that instances can be of
     */
    public ManifestCheck(
            Vertx vertx,
            ManifestRules rules,
            RegistryStore registries,
            Predicate<String> announced,
            BiFunction<Queries, Set<String>, Future<Map<String, String>>> trust,
            BiFunction<Queries, String, Future<Set<String>>> published) {
        this.vertx = vertx;
        this.rules = rules;
        this.registries = registries;
        this.announced = announced;
        this.trust = trust;
        this.published = published;
    }

    public JsonNode schema() {
        return rules.document();
    }

    /** The problems, and the version of each registry entry that the manifest names. */
    public record Report(List<ManifestProblem> problems, ObjectNode registryVersions) {
        public Report {
            problems = List.copyOf(problems);
        }
    }

    /** Not on the event loop: a manifest brings schemas of its own, to be compiled. */
    public Future<Report> check(Queries from, JsonNode manifest, @Nullable String slug, @Nullable String version) {
        return vertx.executeBlocking(() -> rules.problems(manifest, slug, version), false)
                .compose(found -> checkReferences(from, manifest, new ArrayList<>(found)));
    }

    private Future<Report> checkReferences(Queries from, JsonNode manifest, List<ManifestProblem> problems) {
        var versions = Json.object();
        if (problems.stream().anyMatch(ManifestProblem::isOfShape)) {
            return Future.succeededFuture(new Report(problems, versions));
        }
        return checkNames(from, RegistryEntry.SCOPE, Code.UNKNOWN_ACTION, actions(manifest), problems, versions)
                .compose(ok -> requireArrived(from, actions(manifest), versions.path(RegistryEntry.SCOPE)))
                .compose(ok -> checkNames(
                        from, RegistryEntry.USAGE_UNIT, Code.UNKNOWN_USAGE_UNIT, units(manifest), problems, versions))
                .compose(ok -> checkNames(
                        from,
                        RegistryEntry.ARTIFACT_TYPE,
                        Code.UNKNOWN_ARTIFACT_TYPE,
                        artifacts(manifest, "type"),
                        problems,
                        versions))
                .compose(ok -> checkTrust(from, artifacts(manifest, "digest"), problems))
                .compose(ok -> checkRollback(from, manifest, problems))
                .map(ok -> new Report(problems, versions));
    }

    private Future<Void> checkNames(
            Queries from,
            String kind,
            Code code,
            Map<String, String> idByPointer,
            List<ManifestProblem> problems,
            ObjectNode versions) {
        return registries.active(from, kind, Set.copyOf(idByPointer.values())).map(active -> {
            idByPointer.forEach((pointer, id) -> {
                if (!active.containsKey(id)) {
                    problems.add(
                            new ManifestProblem(pointer, code, id + " is not an active " + kind + " of the registry"));
                }
            });
            if (!active.isEmpty()) {
                var kept = versions.putObject(kind);
                new TreeMap<>(active).forEach((id, entry) -> kept.put(id, entry.version()));
            }
            return null;
        });
    }

    /** Refuses for now, where it would say that a scope is unknown which is only not here yet: the platform has just been started. */
    private Future<Void> requireArrived(Queries from, Map<String, String> actions, JsonNode found) {
        var missing = actions.values().stream()
                .filter(action -> !found.has(action) && announced.test(action))
                .toList();
        return registries.known(from, RegistryEntry.SCOPE, missing).compose(known -> {
            var awaited = missing.stream()
                    .filter(action -> !known.containsKey(action))
                    .findFirst();
            return awaited.isEmpty()
                    ? Future.<Void>succeededFuture()
                    : Future.failedFuture(Problem.of(
                                    ErrorCode.SERVICE_UNAVAILABLE,
                                    "The scope " + awaited.get() + " is new here. Try again in a moment.")
                            .asException());
        });
    }

    private Future<Void> checkTrust(Queries from, Map<String, String> digestByPointer, List<ManifestProblem> problems) {
        if (digestByPointer.isEmpty()) {
            return Future.succeededFuture();
        }
        return trust.apply(from, Set.copyOf(digestByPointer.values())).map(states -> {
            digestByPointer.forEach((pointer, digest) -> {
                var state = states.getOrDefault(digest, "unknown");
                if (!state.equals(TRUSTED)) {
                    problems.add(new ManifestProblem(
                            pointer,
                            Code.ARTIFACT_UNTRUSTED,
                            "is " + state + "; register and verify the artifact first"));
                }
            });
            return null;
        });
    }

    private Future<Void> checkRollback(Queries from, JsonNode manifest, List<ManifestProblem> problems) {
        var to = manifest.at("/lifecycle/rollback/to");
        if (to.isEmpty()) {
            return Future.succeededFuture();
        }
        return published.apply(from, manifest.path("app").asText()).map(known -> {
            for (var i = 0; i < to.size(); i++) {
                if (!known.contains(to.get(i).asText())) {
                    problems.add(new ManifestProblem(
                            "/lifecycle/rollback/to/" + i,
                            Code.UNREACHABLE_ROLLBACK,
                            "is not a published version of this app"));
                }
            }
            return null;
        });
    }

    private static Map<String, String> actions(JsonNode manifest) {
        var found = new LinkedHashMap<String, String>();
        var required = manifest.path("required_actions");
        for (var i = 0; i < required.size(); i++) {
            found.put("/required_actions/" + i, required.get(i).asText());
        }
        var operations = manifest.path("operations");
        for (var i = 0; i < operations.size(); i++) {
            found.put(
                    "/operations/" + i + "/action",
                    operations.get(i).path("action").asText());
        }
        return found;
    }

    private static Map<String, String> units(JsonNode manifest) {
        var found = new LinkedHashMap<String, String>();
        var units = manifest.path("usage_units");
        for (var i = 0; i < units.size(); i++) {
            found.put("/usage_units/" + i, units.get(i).asText());
        }
        return found;
    }

    private static Map<String, String> artifacts(JsonNode manifest, String field) {
        var found = new LinkedHashMap<String, String>();
        var artifacts = manifest.path("artifacts");
        for (var i = 0; i < artifacts.size(); i++) {
            found.put(
                    "/artifacts/" + i + "/" + field,
                    artifacts.get(i).path(field).asText());
        }
        return found;
    }
}
