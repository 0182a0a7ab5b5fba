package dev.slipway.catalog.registry;

import dev.slipway.catalog.registry.domain.Lifecycle;
import dev.slipway.contract.Json;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Database;
import dev.slipway.service.DatabaseSettings;
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
    private static final Author SOMEBODY = new Author("user", null, "somebody");
    private static Vertx vertx;
    private static Telemetry telemetry;
    private static FreshDatabase fresh;
    private static Database database;
    private static Outbox outbox;
    private static RegistryStore store;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        database = await(Database.open(vertx, new DatabaseSettings(fresh.url(), 2), "catalog", false));
        outbox = new Outbox(database.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        store = new RegistryStore(database.reads());
    }

    @AfterAll
    static void close() {
        await(database.close());
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
    void seed_changesNothingTheSecondTime_andWhatSomebodyChangedStands_untilItIsNewer() {
        assertThat(seeded(entry("a", 1, "first"))).isTrue();
        assertThat(seeded(entry("a", 1, "first"))).isFalse();
        var changed =
                new RegistryEntry("product", "a", 2, "active", Json.object().put("said", "changed"));
        inUnit(unit -> {
            store.update(unit, changed, 0, SOMEBODY);
            return Future.succeededFuture();
        });
        assertThat(seeded(entry("a", 1, "first"))).isFalse();
        assertThat(said("a")).isEqualTo("changed");

        assertThat(seeded(entry("a", 2, "second"))).isTrue();

        assertThat(said("a")).isEqualTo("second");
        assertThat(await(store.versions("product", "a")))
                .extracting(past -> past.entry().version() + " " + past.author().name())
                .containsExactly("3 seed", "2 somebody", "1 seed");
        assertThat(fresh.query("SELECT count(*) FROM catalog.outbox WHERE event_type = 'catalog.registry.snapshot'"))
                .isEqualTo("3");
    }

    @Test
    @Proves("C.20")
    void active_leavesOutWhatIsUnknownOrNotActive() {
        for (var state : Lifecycle.values()) {
            inUnit(unit -> store.add(
                    unit, new RegistryEntry("policy", state.text(), 1, state.text(), Json.object()), 0, SOMEBODY));
        }
        var asked = List.of("draft", "active", "deprecated", "retired", "unknown");

        assertThat(active("policy", asked)).containsExactly("active");
        assertThat(active("policy")).containsExactly("active");
        assertThat(active("product", asked)).isEmpty();
    }

    @Test
    void scope_isFollowed_andAnOlderRevisionChangesNothing() {
        follow("active", 5);
        follow("deprecated", 7);
        follow("active", 6);
        follow("deprecated", 7);

        var kept = requireNonNull(await(store.find("scope", "a.b")));
        assertThat(kept.entry().state()).isEqualTo("deprecated");
        assertThat(kept.entry().version()).isEqualTo(2);
    }

    private static Set<String> active(String kind, List<String> ids) {
        Map<String, RegistryEntry> found = inUnit(unit -> store.active(unit, kind, ids));
        return found.keySet();
    }

    private static Set<String> active(String kind) {
        Map<String, RegistryEntry> found = inUnit(unit -> store.active(unit, kind));
        return found.keySet();
    }

    private static boolean seeded(RegistryEntry entry) {
        return inUnit(unit -> store.seed(unit, entry));
    }

    private static void follow(String state, long revision) {
        inUnit(unit -> store.follow(unit, new RegistryEntry("scope", "a.b", 1, state, Json.object()), revision));
    }

    private static RegistryEntry entry(String id, int version, String said) {
        return new RegistryEntry("product", id, version, "active", Json.object().put("said", said));
    }

    private static String said(String id) {
        return requireNonNull(await(store.find("product", id)))
                .entry()
                .body()
                .path("said")
                .asText();
    }

    @com.google.errorprone.annotations.CanIgnoreReturnValue
    private static <T> T inUnit(Function<UnitOfWork, Future<T>> work) {
        return await(outbox.transaction(new Cause("c-1", Context.root()), work));
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
