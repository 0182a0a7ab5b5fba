package dev.slipway.conformance;

import dev.slipway.conformance.Clause.BrokenClauseException;
import dev.slipway.conformance.Scenario.Need;
import dev.slipway.conformance.Verdict.Result;
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

/** Puts the adapter through the scenarios, one after another. */
final class Kit {
    private final Options options;
    private final Profile profile;
    private final Consumer<String> progress;
    private final UUID adapterId = Ids.next();
    private final String secret = "kit-secret-" + UUID.randomUUID();

    Kit(Options options, Profile profile, Consumer<String> progress) {
        this.options = options;
        this.profile = profile;
        this.progress = progress;
    }

    List<Result> run() throws Exception {
        var ledger = new Ledger();
        var tokens = new TokenDesk();
        var world = new World(profile.probe(), options.effects());
        var heartbeats = new Heartbeats(adapterId, profile.backend(), tokens);
        try (var api = new PlatformApi(ledger, tokens, adapterId, secret, options.port());
                var adapter = new AdapterUnderTest(
                        options.adapter(),
                        environment(api.port()),
                        options.data().resolve("adapter.log"))) {
            var judge = new Judge(ledger, tokens, world, new TaskRules(profile), heartbeats, adapter::isRunning);
            try (var wire = new Wire(
                    options.kafkaClient(),
                    options.kafka(),
                    options.topicPrefix(),
                    profile.backend(),
                    judge::take,
                    ledger::fail)) {
                var stage = new Stage(
                        profile, options.limits(), ledger, tokens, wire, world, heartbeats, adapter, api::calls);
                if (!adapter.canBeRestarted()) {
                    progress.accept("start the adapter now, with this environment:");
                    environment(api.port()).forEach((name, value) -> progress.accept("  " + name + "=" + value));
                }
                greet(stage, ledger);
                return play(stage, ledger, adapter);
            }
        }
    }

    /** Waits until the adapter answers at all, so that no clause is blamed for a slow start. Who never answers fails soon enough. */
    private void greet(Stage stage, Ledger ledger) throws Exception {
        stage.start();
        var nobody = ledger.instance();
        var delete = stage.command(Kind.DELETE, nobody, stage.payloads().next(nobody));
        var ignored = ledger.await(
                () -> delete.reports().isEmpty() ? null : true, options.limits().start());
    }

    private List<Result> play(Stage stage, Ledger ledger, AdapterUnderTest adapter) throws Exception {
        var whyNot = new HashMap<Scenario, Need>();
        for (var scenario : options.chosen()) {
            var unmet = unmet(scenario, adapter);
            if (unmet != null) {
                whyNot.put(scenario, unmet);
                continue;
            }
            progress.accept(scenario.name() + ": " + scenario.about());
            ledger.begin(scenario.name());
            stage.start();
            try {
                scenario.play().on(stage);
            } catch (BrokenClauseException e) {
                ledger.note(null, e.finding());
                clear(stage, ledger, scenario);
            }
        }
        LockSupport.parkNanos(options.limits().settle().toNanos()); // for what comes after the end
        var results = new ArrayList<Result>();
        options.chosen().forEach(scenario -> results.add(result(scenario, whyNot.get(scenario), ledger)));
        return results;
    }

    private @Nullable Need unmet(Scenario scenario, AdapterUnderTest adapter) {
        return scenario.needs().stream()
                .filter(need -> !need.isMet(profile, adapter.canBeRestarted()))
                .min(Comparator.naturalOrder()) // what is not claimed comes before what is not there
                .orElse(null);
    }

    private static Result result(Scenario scenario, @Nullable Need unmet, Ledger ledger) {
        if (unmet != null) {
            return new Result(
                    scenario, unmet.isClaim() ? Verdict.NOT_CLAIMED : Verdict.NOT_RUN, List.of(), unmet.whyNot());
        }
        var findings = ledger.findings(scenario.name());
        return new Result(scenario, findings.isEmpty() ? Verdict.PASSED : Verdict.FAILED, findings, "");
    }

    /** What a broken scenario leaves behind is ended, as far as the adapter can. */
    private static void clear(Stage stage, Ledger ledger, Scenario scenario) throws Exception {
        stage.start();
        for (var instance : ledger.of(scenario.name())) {
            if (!instance.isDeleted() && !instance.isForgotten()) {
                var ignored =
                        stage.command(Kind.DELETE, instance, stage.payloads().next(instance));
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
