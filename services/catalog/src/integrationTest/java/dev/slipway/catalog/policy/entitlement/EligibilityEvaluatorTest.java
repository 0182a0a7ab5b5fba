package dev.slipway.catalog.policy.entitlement;

import dev.slipway.catalog.instanceprojection.InstanceConsumer;
import dev.slipway.catalog.instanceprojection.InstanceProjectionStore;
import dev.slipway.catalog.policy.EffectivePolicyStore;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.ReceivedRecord;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.ServiceDatabase;
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

class EligibilityEvaluatorTest {
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
    private static ServiceDatabase serviceDatabase;
    private static Outbox outbox;
    private static InstanceProjectionStore projection;
    private static EligibilityEvaluator eligibilityEvaluator;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
        telemetry = Telemetry.start(Map.of());
        fresh = FreshDatabase.create();
        serviceDatabase = await(ServiceDatabase.open(vertx, new DatabaseSettings(fresh.url(), 2), "catalog", false));
        outbox = new Outbox(serviceDatabase.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        projection = new InstanceProjectionStore(serviceDatabase.reads());
        eligibilityEvaluator = new EligibilityEvaluator(
                new EffectivePolicyStore(serviceDatabase.reads()), new EligibilityStore(serviceDatabase.reads()));
        for (var seed : RegistrySeeds.load().entries()) {
            fresh.execute(
                    "INSERT INTO catalog.registry_entries (kind, id, version, state, body, created_at, updated_at) VALUES ('%s', '%s', %d, '%s', '%s', now(), now())"
                            .formatted(
                                    seed.kind().text(),
                                    seed.id(),
                                    seed.version(),
                                    seed.lifecycle().text(),
                                    Json.text(seed.body()).replace("'", "''")));
        }
    }

    @AfterAll
    static void close() {
        await(serviceDatabase.close());
        await(vertx.close());
        telemetry.close();
        fresh.close();
    }

    @BeforeEach
    void insertApp() {
        fresh.execute(
                "TRUNCATE catalog.app_catalog, catalog.projects, catalog.policy_levels, catalog.launched_instances CASCADE");
        fresh.execute("""
                INSERT INTO catalog.projects (id, org_id) VALUES ('%1$s', '%2$s');
                INSERT INTO catalog.app_catalog (id, slug, display_name, category, publisher, status)
                VALUES ('%3$s', 'echo', 'Echo', 'examples', 'Slipway', 'active');
                INSERT INTO catalog.app_versions (id, app_id, version, runtime_backend, manifest, status, updated_at)
                VALUES ('%4$s', '%3$s', '3', 'k8s', '{}', 'active', now()), ('%5$s', '%3$s', '2', 'k8s', '{}', 'deprecated', now()),
                    ('%6$s', '%3$s', '1', 'k8s', '{}', 'disabled', now())
                """.formatted(PROJECT, ORG, APP, ACTIVE, DEPRECATED, DISABLED));
    }

    @Test
    void evaluate_returnsReason_whenVersionCannotBeLaunched() {
        assertThat(reasons()).containsExactly("app_not_entitled", "app_not_entitled", "app_not_entitled");
        entitle("{}");
        assertThat(reasons()).containsExactly("", "app_version_deprecated", "app_version_not_launchable");
        writePolicy("global", "platform", "{\"allow_deprecated_versions\": true}", "{}");
        assertThat(reasons()).containsExactly("", "", "app_version_not_launchable");
        writePolicy("project", PROJECT.toString(), "{\"allowed_operating_modes\": []}", "{}");
        assertThat(reasons()).startsWith("operating_mode_not_allowed", "operating_mode_not_allowed");
        writePolicy("organization", ORG.toString(), "{\"features.instance_mutations\": false}", "{}");
        assertThat(reasons()).startsWith("feature_disabled", "feature_disabled");
    }

    @Test
    void evaluate_returnsArtifactRevoked_whenDigestOfVersionIsRevoked() {
        entitle("{}");
        var digest = "sha256:" + "a".repeat(64);
        fresh.execute("""
                UPDATE catalog.app_versions SET manifest = '{"artifacts": [{"digest": "%1$s"}]}' WHERE id = '%2$s';
                SET session_replication_role = replica;
                INSERT INTO catalog.revoked_digests (digest, artifact_id, reason, revoked_at)
                VALUES ('%1$s', gen_random_uuid(), 'leaked key', now())
                """.formatted(digest, ACTIVE));

        assertThat(reasons())
                .containsExactly("artifact_revoked", "app_version_deprecated", "app_version_not_launchable");
    }

    @Test
    void evaluate_appliesEntitlementAndHardDenies() {
        entitle("{\"max_instances_per_project\": 1}");
        assertThat(reasons()).startsWith("");
        apply(event(Ids.next(), 1, "requested", "3"));
        assertThat(reasons()).startsWith("instance_limit_reached");
        fresh.execute("DELETE FROM catalog.launched_instances");
        writePolicy("organization", ORG.toString(), "{}", "{\"allowed_apps\": [\"echo\"]}");
        assertThat(reasons()).startsWith("app_denied");
    }

    @Test
    void countLive_isCorrect_whenEventsArriveOutOfOrder() {
        var one = Ids.next();
        var two = Ids.next();
        apply(
                event(one, 3, "running", "2"),
                event(one, 1, "requested", "3"),
                event(two, 1, "requested", "3"),
                event(two, 2, "deploying", "3"));
        apply(event(one, 2, "deploying", "3"), event(two, 1, "requested", "3"));
        assertThat(counts()).isEqualTo(Map.of(ACTIVE, 1L, DEPRECATED, 1L, DISABLED, 0L));

        apply(event(one, 4, "deleted", "2"));

        assertThat(counts()).isEqualTo(Map.of(ACTIVE, 1L, DEPRECATED, 0L, DISABLED, 0L));
        assertThat(fresh.query("SELECT status || region || gpu_count FROM catalog.launched_instances WHERE id = '" + two
                        + "'"))
                .isEqualTo("deployingeu2");
    }

    private static Map<UUID, Long> counts() {
        return await(projection.countLive(ALL));
    }

    private static List<String> reasons() {
        var byVersion = await(eligibilityEvaluator.evaluate(ORG, PROJECT, ALL));
        return ALL.stream()
                .map(byVersion::get)
                .map(eligibility -> eligibility.launchable() ? "" : String.valueOf(eligibility.reason()))
                .toList();
    }

    private static void entitle(String overrides) {
        fresh.execute(
                "INSERT INTO catalog.project_app_entitlements (id, org_id, project_id, app_id, policy_overrides) VALUES (gen_random_uuid(), '%s', '%s', '%s', '%s')"
                        .formatted(ORG, PROJECT, APP, overrides));
    }

    private static void writePolicy(String level, String subject, String values, String denies) {
        fresh.execute(
                "INSERT INTO catalog.policy_levels (level, subject_id, org_id, version, said, hard_denies) VALUES ('%s', '%s', %s, 1, '%s', '%s')"
                        .formatted(level, subject, level.equals("global") ? "NULL" : "'" + ORG + "'", values, denies));
    }

    private static void apply(ReceivedEvent... events) {
        var changeContext = new ChangeContext("c-1", Context.root());
        await(outbox.transaction(changeContext, unit -> new InstanceConsumer(projection).apply(unit, List.of(events))));
    }

    private static ReceivedEvent event(UUID id, long sequence, String status, String version) {
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
        var record = new ReceivedRecord(
                "instances.events", 0, 0, Instant.EPOCH, id.toString(), envelope.toBytes(), Map.of());
        return new ReceivedEvent(record, envelope);
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
