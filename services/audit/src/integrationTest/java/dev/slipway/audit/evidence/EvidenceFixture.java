package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.audit.evidence.domain.Gate;
import dev.slipway.audit.evidence.ingest.AttestationVerifier;
import dev.slipway.audit.evidence.ingest.ContentReader;
import dev.slipway.authz.Principal;
import dev.slipway.contract.EventSchemas;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.service.AuditActionRegistry;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TestClock;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;

/** Releases and evidence on a real database, without the other services. */
final class EvidenceFixture implements AutoCloseable {
    static final String SHA = "bcbb5ec396a2c0f828686f14fac9b80b780504f2";
    static final String GITLAB_TOKEN = "the-token-of-the-webhook";
    static final UUID ORG = UUID.fromString("01900000-0000-7000-8000-000000000001");
    static final UUID PROJECT = UUID.fromString("01900000-0000-7000-8000-000000000002");

    final FreshDatabase database = FreshDatabase.create();
    final Principal author = Principal.user(Ids.next(), "Author");
    final Principal owner = Principal.user(Ids.next(), "Owner");
    final ReleaseCandidateApi releases;
    final EvidenceApi evidence;
    final VerdictApi verdicts;
    final GitLabWebhookApi webhook;
    final EvidenceRetention retention;
    final EvidenceTypes types;
    final Outbox outbox;
    private final TestClock clock = new TestClock();
    private final Telemetry telemetry = Telemetry.start(Map.of());
    private final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    private final ServiceDatabase service;

    EvidenceFixture(Path directory) {
        service = await(ServiceDatabase.open(vertx, new DatabaseSettings(database.url(), 4, null), "audit", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), clock, () -> {});
        outbox.checkPayloads("audit.recorded", new AuditActionRegistry()::stamp);
        var mutations = new Mutations(outbox);
        var releaseStore = new ReleaseStore(service.reads());
        var evidenceStore = new EvidenceStore(service.reads());
        types = new EvidenceTypes(evidenceStore);
        var evaluator = new ReleaseEvaluator(releaseStore, evidenceStore, types);
        var recorder = new EvidenceRecorder(evidenceStore, types, evaluator);
        var contents = new EvidenceContents(new FileObjectStore(vertx, directory));
        Function<UUID, @Nullable UUID> orgOf = project -> project.equals(PROJECT) ? ORG : null;
        releases = new ReleaseCandidateApi(releaseStore, evaluator, recorder, mutations, orgOf);
        evidence = new EvidenceApi(
                vertx,
                releaseStore,
                evidenceStore,
                recorder,
                contents,
                new ContentReader(new AttestationVerifier(List.of())),
                mutations);
        retention = new EvidenceRetention(vertx, evidenceStore, contents, outbox);
        verdicts = new VerdictApi(releaseStore, evidenceStore, contents);
        webhook = new GitLabWebhookApi(vertx, GITLAB_TOKEN, releaseStore, evidenceStore, recorder, mutations);
        await(outbox.transaction(context(), types::ensureSeeds));
    }

    @CanIgnoreReturnValue
    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    void advance(Duration by) {
        clock.advance(by);
    }

    static ObjectNode candidate(boolean production, boolean capacity) {
        var body = Json.object()
                .put("product", "echo")
                .put("version", "1.4.0")
                .put("source_sha", SHA)
                .put("branch", "main")
                .put("environment", "production")
                .put("profile", "eu")
                .put("production_impacting", production)
                .put("capacity_impacting", capacity);
        body.putArray("required_journeys").add("launch-app");
        return body;
    }

    String create() {
        return create(candidate(true, true)).path("id").asText();
    }

    JsonNode create(ObjectNode body) {
        return expect(releases::create, request(author, Map.of(), body));
    }

    JsonNode get(String releaseId) {
        return expect(releases::get, request(owner, Map.of("release_id", releaseId), null));
    }

    /** Returns the gate of a release. */
    JsonNode gate(String releaseId, Gate gate) {
        for (var each : get(releaseId).path("gates")) {
            if (each.path("gate").asText().equals(gate.text())) {
                return each;
            }
        }
        throw new AssertionError("no gate " + gate);
    }

    @CanIgnoreReturnValue
    JsonNode add(String releaseId, ObjectNode body) {
        return expect(evidence::add, request(author, Map.of("release_id", releaseId), body));
    }

    static ObjectNode item(String type, String subject, String result, Map<String, ?> fields) {
        var body = Json.object().put("type", type).put("subject", subject).put("result", result);
        body.set("fields", Json.toObject(fields));
        return body;
    }

    /** Adds everything that the gates need, except for decisions of people. */
    void addAll(String releaseId) {
        addOfRevision(releaseId);
        addOfEnvironment(releaseId, "production");
    }

    /** Adds the evidence about the source revision, which a fast candidate takes from a full one. */
    void addOfRevision(String releaseId) {
        for (var contract : List.of("openapi", "asyncapi", "sdk")) {
            add(releaseId, item("contract_drift", contract, "current", Map.of("reference", "v1.3.0")));
        }
        for (var suite : List.of("demo", "launch-app")) {
            add(
                    releaseId,
                    item("acceptance_test", suite, "passed", Map.of("environment", "staging", "report_ref", "ci/17")));
        }
        for (var check : List.of("scan", "authz", "audit")) {
            addScan(releaseId, check);
        }
        add(releaseId, item("migration_status", "release", "applied", Map.of("schema", "V030")));
    }

    private void addScan(String releaseId, String check) {
        add(releaseId, item("security_scan", check, "passed", Map.of("tool", "trivy", "report_ref", "ci/18")));
    }

    /** Adds the evidence that every candidate needs for its own environment. */
    void addOfEnvironment(String releaseId, String environment) {
        addScan(releaseId, "secret");
        for (var part : List.of("host", "dns", "tls", "registry", "secret", "package")) {
            add(
                    releaseId,
                    item(
                            "environment_profile",
                            part,
                            "consistent",
                            Map.of("environment", environment, "profile", "eu")));
        }
        add(
                releaseId,
                item(
                        "runtime_health",
                        "environment",
                        "healthy",
                        Map.of("environment", environment, "profile", "eu", "observed_at", "2026-11-17T12:00:00Z")));
        add(releaseId, item("capacity_posture", "canary", "recorded", Map.of("statement", "one node first")));
        add(
                releaseId,
                item(
                        "residual_risk",
                        "release",
                        "accepted",
                        Map.of("risk", "none known", "owner", "Security", "review_at", "2026-12-01")));
    }

    void approveAll(String releaseId) {
        for (var role : List.of("product", "platform", "security")) {
            approve(releaseId, role, owner);
        }
    }

    @CanIgnoreReturnValue
    JsonNode approve(String releaseId, String role, Principal by) {
        return expect(
                releases.approve(role),
                request(by, Map.of("release_id", releaseId), Json.object().put("decision", "approved")));
    }

    JsonNode recompute(String releaseId, String verdictId) {
        return expect(
                verdicts::recompute, request(owner, Map.of("release_id", releaseId, "verdict_id", verdictId), null));
    }

    JsonNode list(String releaseId, boolean superseded) {
        var query = Map.of("superseded", String.valueOf(superseded), "limit", "500");
        return expect(evidence::list, request(owner, null, Map.of("release_id", releaseId), query, null))
                .path("items");
    }

    static JsonNode expect(Function<Request, Future<Reply>> operation, Request request) {
        var reply = await(operation.apply(request));
        assertThat(reply.problem()).isNull();
        return Json.parseTrusted(reply.body());
    }

    /** Returns the problem of a refused request. */
    static Problem refuse(Function<Request, Future<Reply>> operation, Request request) {
        try {
            var reply = operation
                    .apply(request)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            return java.util.Objects.requireNonNull(reply.problem(), "the request was not refused");
        } catch (ProblemException e) {
            return e.problem();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ProblemException problem) {
                return problem.problem();
            }
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static Request request(Principal principal, Map<String, String> path, @Nullable JsonNode body) {
        return request(principal, null, path, Map.of(), body);
    }

    static Request request(
            Principal principal,
            @Nullable UUID projectId,
            Map<String, String> path,
            Map<String, String> query,
            @Nullable JsonNode body) {
        var call = new Call("operation", "correlation", null, path, query, new HashMap<>(), body);
        return new Request(call, principal, projectId == null ? null : ORG, projectId, context());
    }

    static Request webhookRequest(String token, JsonNode event) {
        var call = new Call(
                "receiveGitLabEvent", "correlation", null, Map.of(), Map.of(), Map.of("x-gitlab-token", token), event);
        return new Request(call, null, null, null, context());
    }

    /** Validates all outbox records against their schemas and returns the number of those of a type. */
    int countEvents(String type) {
        var count = 0;
        var values = database.query(
                "SELECT string_agg(convert_from(value, 'UTF8'), chr(10) ORDER BY seq) FROM audit.outbox");
        var schemas = EventSchemas.load();
        for (var line : values.split("\n", -1)) {
            var event = Json.parseStoredObject(line);
            assertThat(schemas.validate(event)).as(line).isEmpty();
            count += event.path("event_type").asText().equals(type) ? 1 : 0;
        }
        return count;
    }

    static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    @Override
    public void close() {
        await(service.close());
        await(vertx.close());
        telemetry.close();
        database.close();
    }
}
