package dev.slipway.catalog.registry;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.RegistryLifecycle;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.Proves;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class RegistryStoreTest {
    private static final RegistryAuthor SOMEBODY = new RegistryAuthor("user", null, "somebody");
    private static Vertx vertx;
    private static Telemetry telemetry;
    private static FreshDatabase fresh;
    private static ServiceDatabase serviceDatabase;
    private static Outbox outbox;
    private static RegistryStore store;
    private static RegistryReplicator replicator;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        serviceDatabase = await(ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), 2), "catalog", false));
        outbox = new Outbox(serviceDatabase.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        store = new RegistryStore(serviceDatabase.reads());
        replicator = new RegistryReplicator(store);
    }

    @AfterAll
    static void close() {
        await(serviceDatabase.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void empty() {
        fresh.execute("TRUNCATE catalog.registry_entries, catalog.registry_versions, catalog.outbox CASCADE");
    }

    @Test
    @Proves("3.116")
    void applySeed_isIdempotent_andKeepsAdministratorChanges_untilSeedIsNewer() {
        applySeed(entry("a", 1, "first"));
        applySeed(entry("a", 1, "first"));
        inUnit(unit -> {
            store.update(unit, entry("a", 2, "changed"), 0, SOMEBODY);
            return Future.succeededFuture();
        });
        applySeed(entry("a", 1, "first"));
        assertThat(note("a")).isEqualTo("changed");

        applySeed(entry("a", 2, "second"));

        assertThat(note("a")).isEqualTo("second");
        assertThat(await(store.listVersions(RegistryKind.PRODUCT, "a")))
                .extracting(version ->
                        version.entry().version() + " " + version.author().displayName())
                .containsExactly("3 seed", "2 somebody", "1 seed");
        assertThat(fresh.query("SELECT count(*) FROM catalog.outbox WHERE event_type = 'catalog.registry.snapshot'"))
                .isEqualTo("3");
    }

    @Test
    @Proves("C.20")
    void findActive_omitsUnknownAndInactiveEntries() {
        for (var state : RegistryLifecycle.values()) {
            inUnit(unit -> store.insert(
                    unit, new RegistryEntry(RegistryKind.POLICY, state.text(), 1, state, Json.object()), 0, SOMEBODY));
        }
        var ids = List.of("draft", "active", "deprecated", "retired", "unknown");

        assertThat(active(RegistryKind.POLICY, ids)).containsExactly("active");
        assertThat(active(RegistryKind.PRODUCT, ids)).isEmpty();
    }

    @Test
    void applyReplica_ignoresOlderRevisions() {
        applyReplica(RegistryLifecycle.ACTIVE, 5);
        applyReplica(RegistryLifecycle.DEPRECATED, 7);
        applyReplica(RegistryLifecycle.ACTIVE, 6);
        applyReplica(RegistryLifecycle.DEPRECATED, 7);

        var stored = requireNonNull(await(store.find(RegistryKind.SCOPE, "a.b")));
        assertThat(stored.entry().lifecycle()).isEqualTo(RegistryLifecycle.DEPRECATED);
        assertThat(stored.entry().version()).isEqualTo(2);
    }

    private static Set<String> active(RegistryKind kind, List<String> ids) {
        Map<String, RegistryEntry> found = inUnit(unit -> store.findActive(unit, kind, ids));
        return found.keySet();
    }

    private static void applySeed(RegistryEntry entry) {
        inUnit(unit -> replicator.applySeed(unit, entry));
    }

    private static void applyReplica(RegistryLifecycle state, long revision) {
        var entry = new RegistryEntry(RegistryKind.SCOPE, "a.b", 1, state, Json.object());
        inUnit(unit -> replicator.applyReplica(unit, entry, revision));
    }

    private static RegistryEntry entry(String id, int version, String note) {
        var body = Json.object().put("note", note);
        return new RegistryEntry(RegistryKind.PRODUCT, id, version, RegistryLifecycle.ACTIVE, body);
    }

    private static String note(String id) {
        var stored = requireNonNull(await(store.find(RegistryKind.PRODUCT, id)));
        return stored.entry().body().path("note").asText();
    }

    @com.google.errorprone.annotations.CanIgnoreReturnValue
    private static <T> T inUnit(Function<UnitOfWork, Future<T>> work) {
        return await(outbox.transaction(new ChangeContext("c-1", Context.root()), work));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
