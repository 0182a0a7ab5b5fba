package dev.slipway.tenants;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.authz.Principal;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.ProblemException;
import dev.slipway.messaging.ChangeContext;
import dev.slipway.messaging.Outbox;
import dev.slipway.messaging.Topics;
import dev.slipway.service.Call;
import dev.slipway.service.DatabaseSettings;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.service.ServiceDatabase;
import dev.slipway.telemetry.Telemetry;
import dev.slipway.tenants.context.TenantContextApi;
import dev.slipway.tenants.credential.TenantCredentialApi;
import dev.slipway.tenants.credential.TenantCredentialStore;
import dev.slipway.tenants.data.MemoryRecordStore;
import dev.slipway.tenants.data.PostgresRecordStore;
import dev.slipway.tenants.data.RecordApi;
import dev.slipway.tenants.database.RowSecurity;
import dev.slipway.tenants.database.TenantAccess;
import dev.slipway.tenants.database.TenantDatabases;
import dev.slipway.tenants.database.TenantExporter;
import dev.slipway.tenants.database.TenantProvisioner;
import dev.slipway.tenants.metadata.MetadataStore;
import dev.slipway.tenants.metadata.domain.FieldDefinition;
import dev.slipway.tenants.metadata.domain.FieldType;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.provisioning.DumpStore;
import dev.slipway.tenants.provisioning.ProvisioningStore;
import dev.slipway.tenants.provisioning.TenantApi;
import dev.slipway.tenants.provisioning.TenantDumps;
import dev.slipway.tenants.provisioning.TenantWorker;
import dev.slipway.tenants.quota.QuotaGuard;
import dev.slipway.tenants.quota.QuotaStore;
import dev.slipway.tenants.quota.RequestCounter;
import dev.slipway.tenants.quota.TenantUsers;
import dev.slipway.tenants.quota.UsageRefresher;
import dev.slipway.tenants.router.TenantAuthorizer;
import dev.slipway.tenants.router.TenantPools;
import dev.slipway.tenants.router.TenantRouter;
import dev.slipway.tenants.router.domain.TenantRuntimeContext;
import dev.slipway.tenants.tenant.TenantStore;
import dev.slipway.tenants.tenant.domain.SqlText;
import dev.slipway.tenants.tenant.domain.Tenant;
import dev.slipway.tenants.usage.TenantUsageApi;
import dev.slipway.testkit.FreshDatabase;
import dev.slipway.testkit.TemporaryDirectory;
import io.opentelemetry.context.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The tenants service on a real PostgreSQL, without Kafka and the other services: operations are called directly. */
public final class TenantsFixture implements AutoCloseable {
    public static final UUID ORG = UUID.fromString("01900000-0000-7000-8000-000000000001");
    private static final Duration LEASE = Duration.ofSeconds(2);

    public final FreshDatabase database;
    public final Telemetry telemetry = Telemetry.start(Map.of());
    public final Vertx vertx =
            telemetry.vertx(new VertxOptions().setEventLoopPoolSize(2)).build();
    /** The event loop of the workers, as that of a verticle. */
    public final io.vertx.core.Context workerContext = vertx.getOrCreateContext();

    public final DatabaseSettings settings;
    public final ServiceDatabase service;
    public final Outbox outbox;
    public final TenantDatabases databases;
    public final TenantProvisioner provisioner;
    public final TenantStore tenants;
    public final TenantApi api;
    public final TenantDumps dumps;
    public final TemporaryDirectory dumpDirectory = TemporaryDirectory.named("tenant-dumps");
    public final RequestCounter requests;
    public final TenantUsers users;
    public final MetadataStore metadata;
    public final QuotaStore quotas;
    public final TenantRouter router;
    public final TenantPools pools;
    public final RecordApi records;
    public final TenantCredentialApi credentials;
    public final TenantUsageApi usage;
    public final UsageRefresher refresher;
    public final TenantContextApi contexts;
    public final Permissions permissions = new Permissions();
    public final Principal caller;
    private final MemoryRecordStore memory = new MemoryRecordStore(Clock.systemUTC());
    private final ProvisioningStore steps;
    private volatile TenantWorker worker;

    public TenantsFixture() {
        this(new TenantsConfig(100, 1, 100, Duration.ofMinutes(5), 4, Duration.ofMinutes(1), Path.of("unused")));
    }

    public TenantsFixture(TenantsConfig config) {
        this(config, FreshDatabase.create());
    }

    /** Starts on an existing database, as another process does. */
    public TenantsFixture(TenantsConfig config, FreshDatabase database) {
        this.database = database;
        this.settings = new DatabaseSettings(database.url(), 8, null);
        service = await(ServiceDatabase.open(vertx, settings, "tenants", false));
        outbox = new Outbox(service.transactions(), telemetry.traces(), Clock.systemUTC(), () -> {});
        databases = await(TenantDatabases.open(vertx, settings));
        provisioner = new TenantProvisioner(databases);
        tenants = new TenantStore(service.reads());
        steps = new ProvisioningStore(service.reads());
        dumps = new TenantDumps(
                vertx, new DumpStore(service.reads()), outbox, new TenantExporter(databases), dumpDirectory.path());
        worker = newWorker();
        var mutations = new Mutations(outbox);
        api = new TenantApi(tenants, steps, databases, mutations, worker);
        metadata = new MetadataStore(service.reads());
        quotas = new QuotaStore(service.reads());
        requests = new RequestCounter(outbox, quotas, Clock.systemUTC());
        var guard = new QuotaGuard(quotas);
        users = new TenantUsers(outbox, guard, Clock.systemUTC());
        pools = new TenantPools(vertx, databases, config.poolLimits());
        router = new TenantRouter(
                tenants,
                quotas,
                metadata,
                databases,
                pools,
                TenantRuntimeContext.kernel(Ids.next(), "1.0.0", 1),
                Duration.ofMinutes(5));
        var authorizer = new TenantAuthorizer(permissions.model, Clock.systemUTC());
        records = new RecordApi(
                router, authorizer, requests, users, guard, mutations, new PostgresRecordStore(router), memory);
        contexts = new TenantContextApi(router, authorizer);
        credentials = new TenantCredentialApi(
                tenants,
                new TenantCredentialStore(service.reads()),
                databases,
                new TenantAccess(databases),
                outbox,
                mutations,
                users,
                Clock.systemUTC());
        usage = new TenantUsageApi(tenants, quotas, metadata, requests, Clock.systemUTC());
        refresher = new UsageRefresher(
                vertx,
                outbox,
                quotas,
                metadata,
                provisioner,
                requests,
                authorizer::isMember,
                Duration.ZERO,
                Clock.systemUTC());
        caller = permissions.user("tenant_owner", ORG);
        outbox.onCommitted(Topics.TENANTS_STATE, id -> router.invalidateCache(UUID.fromString(id)));
        outbox.onCommitted(Topics.TENANTS_EVENTS, id -> workerContext.runOnContext(ok -> worker.wake()));
        startWorker();
    }

    private TenantWorker newWorker() {
        return new TenantWorker(
                vertx,
                outbox,
                tenants,
                steps,
                provisioner,
                new TenantAccess(databases),
                dumps,
                memory::deleteAll,
                4,
                LEASE,
                Clock.systemUTC());
    }

    /** Starts another worker, as a process does after a crash. */
    public void restartWorker() {
        worker = newWorker();
        startWorker();
    }

    private void startWorker() {
        var started = worker;
        workerContext.runOnContext(ok -> started.start());
    }

    public void stopWorker() {
        worker.stop();
    }

    @CanIgnoreReturnValue
    public static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Calls an operation and returns its reply. */
    public Reply call(Function<Request, Future<Reply>> operation, Map<String, String> path, @Nullable JsonNode body) {
        return await(withProblems(
                Future.succeededFuture(request(ORG, path, Map.of(), body)).compose(operation)));
    }

    /** Answers with the problem of a refusal, as the dispatcher does. */
    public static Future<Reply> withProblems(Future<Reply> reply) {
        return reply.recover(e -> e instanceof ProblemException refused
                ? Future.succeededFuture(Reply.of(refused.problem()))
                : Future.failedFuture(e));
    }

    /** Calls an operation as a caller. */
    public Reply callAs(
            Principal principal,
            Function<Request, Future<Reply>> operation,
            Map<String, String> path,
            Map<String, String> query,
            Map<String, String> headers,
            @Nullable JsonNode body) {
        var call = new Call("operation", "correlation", null, path, query, headers, body);
        return await(withProblems(Future.succeededFuture(new Request(call, principal, null, null, context()))
                .compose(operation)));
    }

    /** Calls an operation of the data API and returns its reply, also if it is a problem. */
    public Reply data(
            Function<Request, Future<Reply>> operation, Tenant tenant, String object, @Nullable JsonNode body) {
        return callAs(caller, operation, path(tenant, object), Map.of(), Map.of(), body);
    }

    /** Returns a request of the data API. */
    public Request dataRequest(Tenant tenant, String object, Map<String, String> query, @Nullable JsonNode body) {
        var call = new Call("operation", "correlation", null, path(tenant, object), query, Map.of(), body);
        return new Request(call, caller, null, null, context());
    }

    public static Map<String, String> path(Tenant tenant, String object) {
        return Map.of("tenant_id", tenant.id().toString(), "object", object);
    }

    public static String code(Reply reply) {
        return reply.problem() == null ? "ok" : reply.problem().code().code();
    }

    @CanIgnoreReturnValue
    public static JsonNode json(Reply reply) {
        assertThat(code(reply)).isEqualTo("ok");
        return Json.parseTrusted(reply.body());
    }

    /** Creates the table of an object as a deployment does, and registers the object. */
    public void deploy(Tenant tenant, ObjectDefinition object) {
        var table = tenant.names().table(object.name());
        var statements = new ArrayList<String>();
        if (tenant.hasTables()) {
            statements.add("CREATE TABLE " + SqlText.identifier(table)
                    + " (id uuid PRIMARY KEY, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL"
                    + object.fields().stream()
                            .map(field -> ", " + SqlText.identifier(field.name()) + " "
                                    + field.type().columnType() + (field.required() ? " NOT NULL" : "")
                                    + (field.unique() ? " UNIQUE" : ""))
                            .collect(Collectors.joining())
                    + ")");
            statements.addAll(RowSecurity.statements(tenant, table));
            await(databases.execute(tenant, statements));
        }
        database.execute("INSERT INTO tenants.deployed_objects (tenant_id, object_name, definition) VALUES ('"
                + tenant.id() + "', '" + object.name() + "', " + SqlText.literal(Json.text(object)) + ")");
        await(outbox.transaction(context(), unit -> tenants.invalidateCaches(unit, tenant.id())));
    }

    public static FieldDefinition field(String name, FieldType type) {
        return new FieldDefinition(name, null, type, false, false, null, null);
    }

    public static ObjectDefinition accounts() {
        return new ObjectDefinition(
                "account",
                "Account",
                List.of(
                        new FieldDefinition("name", null, FieldType.TEXT, true, true, null, null),
                        field("amount", FieldType.NUMBER),
                        field("stage", FieldType.INTEGER),
                        field("active", FieldType.BOOLEAN),
                        field("due", FieldType.DATE),
                        field("seen_at", FieldType.DATETIME),
                        field("extra", FieldType.JSON)),
                List.of(),
                List.of());
    }

    public static Request request(
            UUID orgId, Map<String, String> path, Map<String, String> query, @Nullable JsonNode body) {
        var withOrg = new HashMap<>(path);
        withOrg.put("org_id", orgId.toString());
        var call = new Call("operation", "correlation", null, withOrg, query, Map.of(), body);
        return new Request(call, Principal.user(Ids.next(), "Ada"), orgId, null, context());
    }

    /** Requests a tenant and waits until it is active. */
    public Tenant createTenant(String isolationLevel) {
        var id = requestTenant(isolationLevel);
        return awaitStatus(id, "active");
    }

    /** Requests a tenant whose records are in memory, and waits until it is active. */
    public Tenant createMemoryTenant() {
        var body = Json.object().put("display_name", "Preview").put("database_provider", "memory");
        var created = json(call(api::create, Map.of(), body));
        return awaitStatus(UUID.fromString(created.path("id").asText()), "active");
    }

    public UUID requestTenant(String isolationLevel) {
        var body = Json.object()
                .put("display_name", "Workspace")
                .put("plan", "free")
                .put("isolation_level", isolationLevel);
        var reply = call(api::create, Map.of(), body);
        assertThat(reply.problem()).isNull();
        return UUID.fromString(Json.parseTrusted(reply.body()).path("id").asText());
    }

    @CanIgnoreReturnValue
    public Tenant awaitStatus(UUID tenantId, String status) {
        eventually(() -> assertThat(find(tenantId).status().name()).isEqualToIgnoringCase(status));
        return find(tenantId);
    }

    public Tenant find(UUID tenantId) {
        return Objects.requireNonNull(await(tenants.find(ORG, tenantId)));
    }

    public static ChangeContext context() {
        return new ChangeContext("correlation", Context.root());
    }

    @Override
    public void close() {
        worker.stop();
        await(pools.close());
        await(service.close());
        await(vertx.close());
        telemetry.close();
        database.close();
        dumpDirectory.close();
    }
}
