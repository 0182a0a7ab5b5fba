package dev.slipway.benchmarks;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Serves the same reads and writes without the platform, as fast as Vert.x allows: the same SELECT with the same response fields, or
 * the same lock and rows in two round trips. It does not validate, authorize or publish.
 */
final class BaselineServer extends VerticleBase {
    private static final String FIND = """
            SELECT i.id, i.resource_name, i.org_id, i.project_id, i.app_id, i.app_version_id, a.slug, v.version, v.runtime_backend,
            i.display_name, i.operating_mode, i.control_plane_scope, i.status, i.requested_by_user_id,
            i.requested_by_principal_id, i.operator_service_account_id, i.config::text AS config, i.runtime_state::text AS runtime_state,
            i.failure_reason, i.generation, i.sequence, i.created_at, i.updated_at, i.deleted_at,
            i.placement_intent::text AS placement_intent, i.policy_version, i.delete_seconds, i.reap, i.previous_version_id, b.version AS previous_version,
            i.previous_config::text AS previous_config, i.registry_versions::text AS registry_versions, (SELECT o.id FROM app_instance_operations o WHERE o.app_instance_id = i.id
                AND o.kind <> 'declared' AND o.status IN ('accepted', 'running')) AS operation_id
            FROM app_instances i JOIN app_catalog a ON a.id = i.app_id JOIN app_versions v ON v.id = i.app_version_id
            LEFT JOIN app_versions b ON b.id = i.previous_version_id
            WHERE i.id = $1 AND i.project_id = $2
            """;
    private static final String LOCK =
            "SELECT org_id, operator_service_account_id FROM projects WHERE id = $1 FOR NO KEY UPDATE";
    private static final String INSTANCE = """
            INSERT INTO app_instances (id, resource_name, org_id, project_id, app_id, app_version_id, display_name, operating_mode,
                control_plane_scope, tenant_boundary_mode, status, requested_by_user_id, requested_by_principal_id,
                operator_service_account_id, config, runtime_state, generation, sequence, created_at, updated_at, placement_intent,
                policy_version, registry_versions)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text::jsonb, $16::text::jsonb, $17, $18, $19, $19,
                $20::text::jsonb, $21, '{}')
            """;
    private static final String EVENTS = """
            INSERT INTO instance_events (app_instance_id, sequence, project_id, event_id, event_type, occurred_at, correlation_id, payload,
                actor)
            SELECT $1, sequence, $2, event, type, $3, $4, payload::jsonb, $5::text::jsonb
            FROM unnest($6::bigint[], $7::uuid[], $8::text[], $9::text[]) AS happened (sequence, event, type, payload)
            """;
    private static final String COMMAND = """
            INSERT INTO runtime_commands (command_id, app_instance_id, runtime_backend, event_type, occurred_at, correlation_id, payload,
                due_at, traceparent)
            VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9)
            """;
    private static final String OPERATION = """
            INSERT INTO app_instance_operations (id, app_instance_id, org_id, project_id, kind, name, action, status, command_id,
                requested_by_user_id, requested_by_principal_id, correlation_id, created_at, deadline_at, due_at)
            VALUES ($1, $2, $3, $4, 'create', 'create', 'apps.instance.create', 'accepted', $5, $6, $6, $7, $8, $9, $9)
            """;
    private static final String OUTBOX = """
            INSERT INTO outbox (event_id, event_type, topic, key, occurred_at, correlation_id, traceparent, value)
            SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::bytea[])
            """;
    private static final String IDEMPOTENCY = """
            INSERT INTO idempotency (principal_id, operation, key, request_hash, location, body, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """;
    private static final String ACTOR =
            "{\"id\":\"%s\",\"type\":\"user\",\"display_name\":\"x\"}".formatted(new UUID(0, 0));
    private static final String TRACE = "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00";
    private static final Buffer HASH = Buffer.buffer(new byte[32]);
    private static final String POLICY_VERSION = "0".repeat(32);

    private final SqlClient reads;
    private final Pool writes;
    private final Buffer[] events;
    private final int[] port;

    BaselineServer(SqlClient reads, Pool writes, int[] eventSizes, int[] port) {
        this.reads = reads;
        this.writes = writes;
        this.port = port;
        this.events = IntStream.of(eventSizes)
                .mapToObj(size -> Buffer.buffer("x".repeat(size).getBytes(StandardCharsets.US_ASCII)))
                .toArray(Buffer[]::new);
    }

    @Override
    public Future<?> start() {
        return vertx.createHttpServer()
                .requestHandler(this::handle)
                .listen(-1, "127.0.0.1") // -1: one free port, shared by the instances
                .onSuccess(server -> port[0] = server.actualPort());
    }

    private void handle(HttpServerRequest request) {
        var segments = request.path().split("/", -1);
        var project = UUID.fromString(segments[4]);
        if (segments.length > 6) {
            find(project, UUID.fromString(segments[6])).onComplete(done -> answer(request, 200, done));
        } else {
            request.body()
                    .compose(body -> create(project, request.getHeader("Idempotency-Key"), body.toJsonObject()))
                    .onComplete(done -> answer(request, 202, done));
        }
    }

    private static void answer(HttpServerRequest request, int status, io.vertx.core.AsyncResult<Buffer> done) {
        var response = request.response().putHeader("Content-Type", "application/json");
        var unused = done.succeeded()
                ? response.setStatusCode(status).end(done.result())
                : response.setStatusCode(500).end(String.valueOf(done.cause()));
    }

    private Future<Buffer> find(UUID projectId, UUID id) {
        return reads.preparedQuery(FIND)
                .execute(Tuple.of(id, projectId))
                .map(rows -> json(rows.iterator().next()).toBuffer());
    }

    private Future<Buffer> create(UUID projectId, String key, JsonObject body) {
        return writes.getConnection().compose(connection -> transaction(connection, projectId, key, body)
                .eventually(connection::close));
    }

    private Future<Buffer> transaction(SqlConnection connection, UUID projectId, String key, JsonObject body) {
        var begun = connection.query("BEGIN").execute();
        var locked = connection.preparedQuery(LOCK).execute(Tuple.of(projectId));
        return Future.all(begun, locked).compose(ok -> {
            var project = locked.result().iterator().next();
            var row = row(projectId, project, body);
            var answer = json(row).toBuffer();
            var id = row[0].toString();
            var command = UUID.randomUUID();
            return Future.all(List.of(
                            connection.preparedQuery(INSTANCE).execute(Tuple.from(row)),
                            connection.preparedQuery(COMMAND).execute(command(row, command)),
                            connection.preparedQuery(OPERATION).execute(operation(row, command)),
                            connection.preparedQuery(EVENTS).execute(insertEvent(row)),
                            connection
                                    .preparedQuery(IDEMPOTENCY)
                                    .execute(Tuple.of(
                                            row[11],
                                            "createAppInstance",
                                            key,
                                            HASH,
                                            "/api/v1/projects/" + projectId + "/app-instances/" + id,
                                            answer,
                                            row[18])),
                            connection.preparedQuery(OUTBOX).execute(outbox(id, row)),
                            connection.query("COMMIT").execute()))
                    .map(answer);
        });
    }

    private static Object[] row(UUID projectId, Row project, JsonObject body) {
        var id = UUID.randomUUID();
        var org = project.getUUID("org_id");
        var owner = BenchSeeds.ownerOf(org);
        return new Object[] {
            id,
            "slipway:local:" + org + ":" + projectId + ":app_instance:" + id,
            org,
            projectId,
            BenchSeeds.APP,
            BenchSeeds.VERSION,
            body.getString("display_name"),
            "tenant_dedicated",
            "project",
            "tenant_isolated",
            "requested",
            owner,
            owner,
            project.getUUID("operator_service_account_id"),
            body.getJsonObject("config").encode(),
            "{}",
            1,
            2L,
            OffsetDateTime.now(ZoneOffset.UTC),
            "{}",
            POLICY_VERSION
        };
    }

    private Tuple insertEvent(Object[] row) {
        return Tuple.of(
                row[0],
                row[3],
                row[18],
                row[0].toString(),
                ACTOR,
                new Long[] {1L, 2L},
                new UUID[] {UUID.randomUUID(), UUID.randomUUID()},
                new String[] {"apps.instance.requested", "apps.instance_operation.accepted"},
                new String[] {payload(events[0]), payload(events[3])});
    }

    private Tuple command(Object[] row, UUID id) {
        var at = (OffsetDateTime) row[18];
        var type = "runtime.command.deploy";
        return Tuple.of(
                id, row[0], "bare_metal", type, at, row[0].toString(), payload(events[1]), at.plusSeconds(30), TRACE);
    }

    private static Tuple operation(Object[] row, UUID command) {
        var at = (OffsetDateTime) row[18];
        return Tuple.of(UUID.randomUUID(), row[0], row[2], row[3], command, row[11])
                .addValue(row[0].toString())
                .addValue(at)
                .addValue(at.plusMinutes(30));
    }

    /** Returns a JSON text of about the given size. */
    private static String payload(Buffer size) {
        return "{\"x\":\"" + size + "\"}";
    }

    private Tuple outbox(String id, Object[] row) {
        var at = (OffsetDateTime) row[18];
        return Tuple.from(new Object[] {
            new UUID[] {UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID()},
            new String[] {
                "apps.instance.requested",
                "runtime.command.deploy",
                "audit.recorded",
                "apps.instance_operation.accepted"
            },
            new String[] {"instances.events", "runtime.commands.bare_metal", "audit.events", "instances.events"},
            new String[] {id, id, row[2].toString(), id},
            new OffsetDateTime[] {at, at, at, at},
            new String[] {id, id, id, id},
            new String[] {null, null, null, null},
            events
        });
    }

    private static JsonObject json(Object[] row) {
        return new JsonObject()
                .put("id", row[0].toString())
                .put("resource_name", row[1])
                .put("org_id", row[2].toString())
                .put("project_id", row[3].toString())
                .put("app_slug", BenchSeeds.SLUG)
                .put("version", BenchSeeds.VERSION_NAME)
                .put("display_name", row[6])
                .put("operating_mode", row[7])
                .put("control_plane_scope", row[8])
                .put("tenant_boundary_mode", row[9])
                .put("runtime_backend", "bare_metal")
                .put("status", row[10])
                .put("requested_by_user_id", row[11].toString())
                .put("requested_by_principal_id", row[12].toString())
                .put("operator_service_account_id", row[13].toString())
                .put("runtime_state", new JsonObject())
                .putNull("failure_reason")
                .put("created_at", row[18].toString())
                .put("updated_at", row[18].toString())
                .putNull("deleted_at")
                .put("placement_intent", new JsonObject((String) row[19]))
                .put("policy_version", row[20])
                .put("config", new JsonObject((String) row[14]));
    }

    private static JsonObject json(Row row) {
        return new JsonObject()
                .put("id", row.getUUID("id").toString())
                .put("resource_name", row.getString("resource_name"))
                .put("org_id", row.getUUID("org_id").toString())
                .put("project_id", row.getUUID("project_id").toString())
                .put("app_slug", row.getString("slug"))
                .put("version", row.getString("version"))
                .put("display_name", row.getString("display_name"))
                .put("operating_mode", row.getString("operating_mode"))
                .put("control_plane_scope", row.getString("control_plane_scope"))
                .put("tenant_boundary_mode", "tenant_isolated")
                .put("runtime_backend", row.getString("runtime_backend"))
                .put("status", row.getString("status"))
                .put("requested_by_user_id", row.getUUID("requested_by_user_id").toString())
                .put(
                        "requested_by_principal_id",
                        row.getUUID("requested_by_principal_id").toString())
                .put(
                        "operator_service_account_id",
                        row.getUUID("operator_service_account_id").toString())
                .put("runtime_state", new JsonObject(row.getString("runtime_state")))
                .put("failure_reason", row.getString("failure_reason"))
                .put("created_at", row.getOffsetDateTime("created_at").toString())
                .put("updated_at", row.getOffsetDateTime("updated_at").toString())
                .putNull("deleted_at")
                .put("placement_intent", new JsonObject(row.getString("placement_intent")))
                .put("policy_version", row.getString("policy_version"))
                .put("config", new JsonObject(row.getString("config")))
                .put("registry_versions", new JsonObject(row.getString("registry_versions")));
    }
}
