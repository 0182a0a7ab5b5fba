package dev.slipway.catalog.entitlement;

import dev.slipway.catalog.launched.InstanceCounts;
import dev.slipway.catalog.launched.LaunchedStore;
import dev.slipway.catalog.policy.PolicyStore;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.Cause;
import dev.slipway.messaging.InboxConsumer.Event;
import dev.slipway.messaging.Incoming;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.Database;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** What a project could launch, and what was launched, from what the catalog keeps. */
class LaunchabilityTest {
    private static final UUID ORG = Ids.next();
    private static final UUID PROJECT = Ids.next();
    private static final UUID APP = Ids.next();
    private static final UUID ACTIVE = Ids.next();
    private static final UUID DEPRECATED = Ids.next();
    private static final UUID DISABLED = Ids.next();
    private static final List<UUID> ALL = List.of(ACTIVE, DEPRECATED, DISABLED);

    private static Vertx vertx;
    private static Telemetry telemetry;
    private static FreshDatabase fresh;
    private static Database database;
    private static Outbox outbox;
    private static LaunchedStore launched;
    private static Launchability launchability;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        database = await(Database.open(vertx, new DatabaseSettings(fresh.url(), 2), "catalog", false));
        outbox = new Outbox(database.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        launched = new LaunchedStore(database.reads());
        launchability = new Launchability(new PolicyStore(database.reads()), new LaunchabilityStore(database.reads()));
        for (var seed : RegistrySeeds.load().entries()) {
            fresh.execute(
                    "INSERT INTO catalog.registry_entries (kind, id, version, state, body, created_at, updated_at) VALUES ('%s', '%s', %d, '%s', '%s', now(), now())"
                            .formatted(
                                    seed.kind(),
                                    seed.id(),
                                    seed.version(),
                                    seed.lifecycle(),
                                    Json.text(seed.body()).replace("'", "''")));
        }
    }

    @AfterAll
    static void close() {
        await(database.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void stock() {
        fresh.execute(
                "TRUNCATE catalog.app_catalog, catalog.projects, catalog.policy_levels, catalog.launched_instances CASCADE");
        fresh.execute("""
                INSERT INTO catalog.projects (id, org_id) VALUES ('%1$s', '%2$s');
                INSERT INTO catalog.app_catalog (id, slug, display_name, category, publisher, status)
                VALUES ('%3$s', 'echo', 'Echo', 'examples', 'Slipway', 'active');
                INSERT INTO catalog.app_versions (id, app_id, version, runtime_backend, manifest, status)
                VALUES ('%4$s', '%3$s', '3', 'k8s', '{}', 'active'), ('%5$s', '%3$s', '2', 'k8s', '{}', 'deprecated'),
                    ('%6$s', '%3$s', '1', 'k8s', '{}', 'disabled')
                """.formatted(PROJECT, ORG, APP, ACTIVE, DEPRECATED, DISABLED));
    }

    @Test
    void of_isTheReason_whenAVersionCannotBeLaunched() {
        assertThat(reasons()).containsExactly("app_not_entitled", "app_not_entitled", "app_not_entitled");
        entitle("{}");
        assertThat(reasons()).containsExactly("", "app_version_deprecated", "app_version_not_launchable");
        say("global", "platform", "{\"allow_deprecated_versions\": true}", "{}");
        assertThat(reasons()).containsExactly("", "", "app_version_not_launchable");
        say("project", PROJECT.toString(), "{\"allowed_operating_modes\": []}", "{}");
        assertThat(reasons()).startsWith("operating_mode_not_allowed", "operating_mode_not_allowed");
        say("organization", ORG.toString(), "{\"features.instance_mutations\": false}", "{}");
        assertThat(reasons()).startsWith("feature_disabled", "feature_disabled");
    }

    @Test
    void of_looksAtTheEntitlement_andAtDenialsAbove() {
        entitle("{\"max_instances_per_project\": 1}");
        assertThat(reasons()).startsWith("");
        keep(event(Ids.next(), 1, "requested", "3"));
        assertThat(reasons()).startsWith("instance_limit_reached");
        fresh.execute("DELETE FROM catalog.launched_instances");
        say("organization", ORG.toString(), "{}", "{\"allowed_apps\": [\"echo\"]}");
        assertThat(reasons()).startsWith("app_denied");
    }

    @Test
    void instances_areCountedByVersion_howeverTheirEventsCome() {
        var one = Ids.next();
        var two = Ids.next();
        keep(
                event(one, 3, "running", "2"),
                event(one, 1, "requested", "3"),
                event(two, 1, "requested", "3"),
                event(two, 2, "deploying", "3"));
        keep(event(one, 2, "deploying", "3"), event(two, 1, "requested", "3"));
        assertThat(counts()).isEqualTo(Map.of(ACTIVE, 1L, DEPRECATED, 1L, DISABLED, 0L));

        keep(event(one, 4, "deleted", "2"));

        assertThat(counts()).isEqualTo(Map.of(ACTIVE, 1L, DEPRECATED, 0L, DISABLED, 0L));
        assertThat(fresh.query("SELECT status || region || gpu_count FROM catalog.launched_instances WHERE id = '" + two
                        + "'"))
                .isEqualTo("deployingeu2");
    }

    private static Map<UUID, Long> counts() {
        return await(new InstanceCounts(launched).of(ALL));
    }

    private static List<String> reasons() {
        var verdicts = await(launchability.of(ORG, PROJECT, ALL));
        return ALL.stream()
                .map(verdicts::get)
                .map(verdict -> verdict.launchable() ? "" : String.valueOf(verdict.reason()))
                .toList();
    }

    private static void entitle(String overrides) {
        fresh.execute(
                "INSERT INTO catalog.project_app_entitlements (id, org_id, project_id, app_id, policy_overrides) VALUES (gen_random_uuid(), '%s', '%s', '%s', '%s')"
                        .formatted(ORG, PROJECT, APP, overrides));
    }

    private static void say(String level, String subject, String values, String denies) {
        fresh.execute(
                "INSERT INTO catalog.policy_levels (level, subject_id, org_id, version, said, hard_denies) VALUES ('%s', '%s', %s, 1, '%s', '%s')"
                        .formatted(level, subject, level.equals("global") ? "NULL" : "'" + ORG + "'", values, denies));
    }

    private static void keep(Event... events) {
        var cause = new Cause("c-1", Context.root());
        await(outbox.transaction(cause, unit -> launched.keep(unit, List.of(events))));
    }

    private static Event event(UUID id, long sequence, String status, String version) {
        var payload = Json.object()
                .put("app_instance_id", id.toString())
                .put("org_id", ORG.toString())
                .put("project_id", PROJECT.toString())
                .put("app_slug", "echo")
                .put("app_version", version)
                .put("status", status)
                .put("operating_mode", "tenant_dedicated")
                .put("control_plane_scope", "project")
                .put("sequence", sequence);
        payload.putObject("placement_intent").put("region", "eu").put("gpu_count", 2);
        var envelope = new Envelope(Ids.next(), "apps.instance." + status, Instant.EPOCH, 1, "c-1", payload);
        var record = new Incoming("instances.events", 0, 0, Instant.EPOCH, id.toString(), envelope.toBytes(), Map.of());
        return new Event(record, envelope);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
