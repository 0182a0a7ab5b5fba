package dev.slipway.conformance;

import dev.slipway.conformance.Clause.ClauseViolationException;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.conformance.Scenario.Requirement;
import dev.slipway.conformance.Verdict.ScenarioResult;
import dev.slipway.contract.Ids;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Runs the selected scenarios on the adapter, one after another. */
final class ConformanceRun {
    private final Options options;
    private final ConformanceProfile profile;
    private final Consumer<String> progress;
    private final UUID adapterId = Ids.next();
    private final String secret = "kit-secret-" + UUID.randomUUID();

    ConformanceRun(Options options, ConformanceProfile profile, Consumer<String> progress) {
        this.options = options;
        this.profile = profile;
        this.progress = progress;
    }

    List<ScenarioResult> run() throws Exception {
        var state = new RunState();
        var tokens = new FakeTokenEndpoint();
        var runtime = new RuntimeProbe(profile.probe(), options.effects());
        var heartbeats = new HeartbeatChecker(adapterId, profile.backend(), tokens);
        try (var api = new FakePlatformApi(state, tokens, adapterId, secret, options.port());
                var adapter = new AdapterUnderTest(
                        options.adapter(),
                        environment(api.port()),
                        options.data().resolve("adapter.log"))) {
            var reportValidator = new ReportValidator(
                    state, tokens, runtime, new ReportRules(profile, options.data()), heartbeats, adapter::isRunning);
            try (var wire = new KafkaChannel(
                    options.kafkaClient(),
                    options.kafka(),
                    options.topicPrefix(),
                    profile.backend(),
                    reportValidator::validate,
                    state::fail)) {
                var scanner =
                        new DataDirectoryScanner(adapter.log(), options.data().resolve("adapter"), secret, tokens);
                var context = new ScenarioContext(
                        profile, options.limits(), state, tokens, wire, runtime, heartbeats, adapter, api::calls);
                if (!adapter.canBeRestarted()) {
                    progress.accept("start the adapter now with this environment:");
                    environment(api.port()).forEach((name, value) -> progress.accept("  " + name + "=" + value));
                }
                awaitAdapter(context, state, adapter);
                return runScenarios(context, state, adapter, scanner);
            }
        }
    }

    /** The adapter exited before its first report. */
    static final class AdapterExitedException extends RuntimeException {
        AdapterExitedException(String message) {
            super(message);
        }
    }

    /** Waits for the adapter's first report, so that a slow start does not count as a violation. */
    private void awaitAdapter(ScenarioContext context, RunState state, AdapterUnderTest adapter) throws Exception {
        context.start();
        var nobody = state.createInstance();
        var delete =
                context.command(CommandKind.DELETE, nobody, context.payloads().createNext(nobody));
        var ignored = state.await(
                () -> {
                    var exit = adapter.exitReason();
                    if (exit != null) {
                        throw new AdapterExitedException(exit);
                    }
                    return delete.reports().isEmpty() ? null : true;
                },
                options.limits().start());
    }

    private List<ScenarioResult> runScenarios(
            ScenarioContext context, RunState state, AdapterUnderTest adapter, DataDirectoryScanner scanner)
            throws Exception {
        var whyNot = new HashMap<Scenario, Requirement>();
        for (var scenario : options.scenarios()) {
            var unmet = findUnmetRequirement(scenario, adapter);
            if (unmet != null) {
                whyNot.put(scenario, unmet);
                continue;
            }
            progress.accept(scenario.name() + ": " + scenario.description());
            state.beginScenario(scenario.name());
            context.start();
            try {
                scenario.script().run(context);
            } catch (ClauseViolationException e) {
                state.addFinding(null, e.finding());
                deleteLeftovers(context, state, scenario);
            }
            scanner.findSecrets().forEach(finding -> state.addFinding(null, finding));
        }
        LockSupport.parkNanos(options.limits().settle().toNanos()); // for reports after the end
        findLeftovers(context, state, scanner);
        var results = new ArrayList<ScenarioResult>();
        options.scenarios().forEach(scenario -> results.add(result(scenario, whyNot.get(scenario), state)));
        return results;
    }

    /** Searches for effects that appeared after an instance was deleted, and for its directories. */
    private static void findLeftovers(ScenarioContext context, RunState state, DataDirectoryScanner scanner) {
        for (var instance : state.deletedInstances()) {
            var alive = context.findAlive(instance);
            if (!alive.isEmpty()) {
                state.addFinding(
                        instance,
                        new Finding(
                                Clause.COMPLETE_CLEANUP,
                                "at the end of the run the runtime has " + alive + " of a deleted instance"));
            }
            var directories = scanner.findDirectories(instance.id());
            if (!directories.isEmpty()) {
                state.addFinding(
                        instance,
                        new Finding(
                                Clause.COMPLETE_CLEANUP,
                                "the data directory has " + directories + " of a deleted instance"));
            }
        }
    }

    private @Nullable Requirement findUnmetRequirement(Scenario scenario, AdapterUnderTest adapter) {
        return scenario.requirements().stream()
                .filter(requirement -> !requirement.isMet(profile, adapter.canBeRestarted()))
                .min(Comparator.naturalOrder()) // unclaimed features are listed before missing ones
                .orElse(null);
    }

    private static ScenarioResult result(Scenario scenario, @Nullable Requirement unmet, RunState state) {
        if (unmet != null) {
            return new ScenarioResult(
                    scenario, unmet.isClaim() ? Verdict.NOT_CLAIMED : Verdict.NOT_RUN, List.of(), unmet.unmetReason());
        }
        var findings = state.findings(scenario.name());
        return new ScenarioResult(scenario, findings.isEmpty() ? Verdict.PASSED : Verdict.FAILED, findings, "");
    }

    /** Deletes the instances that an aborted scenario leaves behind. */
    private static void deleteLeftovers(ScenarioContext context, RunState state, Scenario scenario) throws Exception {
        context.start();
        for (var instance : state.instancesOf(scenario.name())) {
            if (!instance.isDeleted() && !instance.isForgotten()) {
                var ignored = context.command(
                        CommandKind.DELETE, instance, context.payloads().createNext(instance));
            }
        }
    }

    private Map<String, String> environment(int port) throws IOException {
        var home = options.data().resolve("adapter");
        Files.createDirectories(home);
        var secretFile = options.data().resolve("adapter-secret");
        if (!Files.exists(secretFile)) {
            Files.createFile(
                    secretFile, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.writeString(secretFile, secret + "\n");
        return Map.of(
                "SLIPWAY_BASE_URL", "http://" + options.host() + ":" + port,
                "SLIPWAY_KAFKA_BOOTSTRAP", options.kafka(),
                "SLIPWAY_TOPIC_PREFIX", options.topicPrefix(),
                "SLIPWAY_ADAPTER_ID", adapterId.toString(),
                "SLIPWAY_ADAPTER_SECRET_FILE", absolute(secretFile),
                "SLIPWAY_ADAPTER_DATA_DIR", absolute(home));
    }

    private static String absolute(Path path) {
        return path.toAbsolutePath().toString();
    }
}
