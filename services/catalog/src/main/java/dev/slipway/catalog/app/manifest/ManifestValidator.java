package dev.slipway.catalog.app.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.catalog.app.EntryLookup;
import dev.slipway.catalog.app.manifest.ManifestProblem.Code;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.service.NotReplicatedException;
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

/** Validates manifests: on their own, and against registries, artifacts and other versions of the app. */
public final class ManifestValidator {
    private static final String TRUSTED = "verified";

    private final Vertx vertx;
    private final ManifestRules rules;
    private final EntryLookup activeEntries;
    private final EntryLookup existingEntries;
    private final Predicate<String> isActionRegistered;
    private final BiFunction<QueryExecutor, Set<String>, Future<Map<String, String>>> trust;
    private final BiFunction<QueryExecutor, String, Future<Set<String>>> publishedVersions;

    /**
     * @param isActionRegistered whether IAM has an action, which may not have been replicated to the registry yet
     * @param trust the trust state by digest; unknown digests are missing
     * @param publishedVersions the versions of an app, by slug, that can have instances
     */
    public ManifestValidator(
            Vertx vertx,
            ManifestRules rules,
            EntryLookup activeEntries,
            EntryLookup existingEntries,
            Predicate<String> isActionRegistered,
            BiFunction<QueryExecutor, Set<String>, Future<Map<String, String>>> trust,
            BiFunction<QueryExecutor, String, Future<Set<String>>> publishedVersions) {
        this.vertx = vertx;
        this.rules = rules;
        this.activeEntries = activeEntries;
        this.existingEntries = existingEntries;
        this.isActionRegistered = isActionRegistered;
        this.trust = trust;
        this.publishedVersions = publishedVersions;
    }

    public JsonNode schema() {
        return rules.schemaDocument();
    }

    /**
     * The result of a validation.
     *
     * @param registryVersions the version of each registry entry that the manifest references, by kind and id
     */
    public record ValidationReport(List<ManifestProblem> problems, Map<String, Map<String, Integer>> registryVersions) {
        public ValidationReport {
            problems = List.copyOf(problems);
        }

        public boolean isWellFormed() {
            return problems.stream().noneMatch(problem -> problem.code().isStructural());
        }
    }

    /** Validates a manifest. Runs on a worker thread, because embedded schemas have to be compiled. */
    public Future<ValidationReport> validate(
            QueryExecutor executor, JsonNode manifest, @Nullable String slug, @Nullable String version) {
        return vertx.executeBlocking(() -> rules.validate(manifest, slug, version), false)
                .compose(problems -> checkReferences(executor, manifest, new ArrayList<>(problems)));
    }

    private Future<ValidationReport> checkReferences(
            QueryExecutor executor, JsonNode manifest, List<ManifestProblem> problems) {
        var versions = new LinkedHashMap<String, Map<String, Integer>>();
        var report = new ValidationReport(problems, versions);
        if (!report.isWellFormed()) {
            return Future.succeededFuture(report);
        }
        var actions = actions(manifest);
        return checkEntries(executor, RegistryKind.SCOPE, Code.UNKNOWN_ACTION, actions, problems, versions)
                .compose(ok -> requireScopesReplicated(
                        executor, actions, versions.getOrDefault(RegistryKind.SCOPE.text(), Map.of())))
                .compose(ok -> checkEntries(
                        executor,
                        RegistryKind.USAGE_UNIT,
                        Code.UNKNOWN_USAGE_UNIT,
                        usageUnits(manifest),
                        problems,
                        versions))
                .compose(ok -> checkEntries(
                        executor,
                        RegistryKind.RUNTIME_BACKEND,
                        Code.UNKNOWN_RUNTIME_BACKEND,
                        Map.of(
                                "/runtime_backend",
                                manifest.path("runtime_backend").asText()),
                        problems,
                        versions))
                .compose(ok -> checkEntries(
                        executor,
                        RegistryKind.ARTIFACT_TYPE,
                        Code.UNKNOWN_ARTIFACT_TYPE,
                        artifacts(manifest, "type"),
                        problems,
                        versions))
                .compose(ok -> checkTrust(executor, artifacts(manifest, "digest"), problems))
                .compose(ok -> checkRollback(executor, manifest, problems))
                .map(ok -> new ValidationReport(problems, versions));
    }

    private Future<Void> checkEntries(
            QueryExecutor executor,
            RegistryKind kind,
            Code code,
            Map<String, String> idByPointer,
            List<ManifestProblem> problems,
            Map<String, Map<String, Integer>> versions) {
        return activeEntries
                .find(executor, kind, Set.copyOf(idByPointer.values()))
                .map(active -> {
                    idByPointer.forEach((pointer, id) -> {
                        if (!active.containsKey(id)) {
                            problems.add(new ManifestProblem(
                                    pointer, code, id + " is not an active " + kind.text() + " of the registry"));
                        }
                    });
                    if (!active.isEmpty()) {
                        versions.put(kind.text(), new TreeMap<>(active));
                    }
                    return null;
                });
    }

    /** Fails with 503 instead of reporting an action as unknown that IAM has but the registry has not replicated yet. */
    private Future<Void> requireScopesReplicated(
            QueryExecutor executor, Map<String, String> actions, Map<String, Integer> active) {
        var missing = actions.values().stream()
                .filter(action -> !active.containsKey(action) && isActionRegistered.test(action))
                .toList();
        return existingEntries.find(executor, RegistryKind.SCOPE, missing).compose(existing -> {
            var notReplicated = missing.stream()
                    .filter(action -> !existing.containsKey(action))
                    .findFirst();
            return notReplicated.isEmpty()
                    ? Future.<Void>succeededFuture()
                    : Future.failedFuture(new NotReplicatedException("Scope " + notReplicated.get()));
        });
    }

    private Future<Void> checkTrust(
            QueryExecutor executor, Map<String, String> digestByPointer, List<ManifestProblem> problems) {
        if (digestByPointer.isEmpty()) {
            return Future.succeededFuture();
        }
        return trust.apply(executor, Set.copyOf(digestByPointer.values())).map(states -> {
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

    private Future<Void> checkRollback(QueryExecutor executor, JsonNode manifest, List<ManifestProblem> problems) {
        var targets = manifest.at("/lifecycle/rollback/to");
        if (targets.isEmpty()) {
            return Future.succeededFuture();
        }
        return publishedVersions.apply(executor, manifest.path("app").asText()).map(published -> {
            for (var i = 0; i < targets.size(); i++) {
                if (!published.contains(targets.get(i).asText())) {
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
        var idByPointer = new LinkedHashMap<String, String>();
        var required = manifest.path("required_actions");
        for (var i = 0; i < required.size(); i++) {
            idByPointer.put("/required_actions/" + i, required.get(i).asText());
        }
        var operations = manifest.path("operations");
        for (var i = 0; i < operations.size(); i++) {
            idByPointer.put(
                    "/operations/" + i + "/action",
                    operations.get(i).path("action").asText());
        }
        return idByPointer;
    }

    private static Map<String, String> usageUnits(JsonNode manifest) {
        var idByPointer = new LinkedHashMap<String, String>();
        var units = manifest.path("usage_units");
        for (var i = 0; i < units.size(); i++) {
            idByPointer.put("/usage_units/" + i, units.get(i).asText());
        }
        return idByPointer;
    }

    private static Map<String, String> artifacts(JsonNode manifest, String field) {
        var valueByPointer = new LinkedHashMap<String, String>();
        var artifacts = manifest.path("artifacts");
        for (var i = 0; i < artifacts.size(); i++) {
            valueByPointer.put(
                    "/artifacts/" + i + "/" + field,
                    artifacts.get(i).path(field).asText());
        }
        return valueByPointer;
    }
}
