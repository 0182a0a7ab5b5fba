package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.ProblemException;
import dev.slipway.service.Mutations;
import dev.slipway.service.Reply;
import dev.slipway.service.Request;
import dev.slipway.tenants.TenantsFixture;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static dev.slipway.testkit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** Deployments to tenants on a real PostgreSQL; operations are called directly. */
final class DeploymentFixture implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(2);

    final TenantsFixture tenants;
    final DeploymentStore store;
    final MigrationExecutor executor;
    final TenantAppStore appStore;
    final DeploymentApi api;
    final TenantAppApi apps;
    private final DeploymentPlanner planner;
    private DeploymentWorker worker;

    DeploymentFixture() {
        this(new TenantsFixture());
    }

    DeploymentFixture(TenantsFixture tenants) {
        this.tenants = tenants;
        store = new DeploymentStore(tenants.service.reads());
        executor = new MigrationExecutor(tenants.databases);
        appStore = new TenantAppStore(tenants.service.reads(), store);
        planner = new DeploymentPlanner(executor);
        worker = newWorker();
        var requests = new DeploymentRequests(tenants.tenants, store);
        var mutations = new Mutations(tenants.outbox);
        api = new DeploymentApi(store, requests, planner, mutations, this::wake);
        apps = new TenantAppApi(appStore, store, requests, mutations, this::wake);
    }

    private DeploymentWorker newWorker() {
        return new DeploymentWorker(tenants.vertx, tenants.outbox, store, tenants.tenants, planner, executor, LEASE);
    }

    /** Uses another worker from now on, as a process does after a crash. */
    void replaceWorker() {
        worker = newWorker();
        wake();
    }

    /** Looks for deployments regularly, as a service does. */
    void startWorker() {
        var current = worker;
        tenants.workerContext.runOnContext(ok -> current.start());
    }

    void stopWorker() {
        worker.stop();
    }

    void wake() {
        var current = worker;
        tenants.workerContext.runOnContext(ok -> current.wake());
    }

    /** Calls an operation of the tenant, with further path and query parameters; returns the response body. */
    @CanIgnoreReturnValue
    JsonNode call(
            Tenant tenant,
            Function<Request, Future<Reply>> operation,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        var reply = send(tenant, operation, parameters, body);
        assertThat(reply.problem()).isNull();
        return Json.parseTrusted(reply.body());
    }

    /** Returns the problem with which the operation refuses the request. */
    Problem refusal(
            Tenant tenant,
            Function<Request, Future<Reply>> operation,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        return Objects.requireNonNull(send(tenant, operation, parameters, body).problem(), "not refused");
    }

    /** Returns the code with which an operation refuses a caller of another organization. */
    String denialOfForeignCaller(
            Tenant tenant,
            Function<Request, Future<Reply>> operation,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        return Objects.requireNonNull(
                        send(Ids.next(), tenant, operation, parameters, body).problem(), "not refused")
                .code()
                .code();
    }

    private Reply send(
            Tenant tenant,
            Function<Request, Future<Reply>> operation,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        return send(tenant.orgId(), tenant, operation, parameters, body);
    }

    private static Reply send(
            UUID orgId,
            Tenant tenant,
            Function<Request, Future<Reply>> operation,
            Map<String, String> parameters,
            @Nullable JsonNode body) {
        var path = new HashMap<>(parameters);
        path.put("tenant_id", tenant.id().toString());
        try {
            return operation
                    .apply(TenantsFixture.request(orgId, path, parameters, body))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | CompletionException e) {
            if (e.getCause() instanceof ProblemException refused) {
                return Reply.of(refused.problem());
            }
            throw new AssertionError(e);
        } catch (ProblemException e) {
            return Reply.of(e.problem());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Deploys a bundle and returns the deployment when it is ready or failed. */
    @CanIgnoreReturnValue
    JsonNode deploy(Tenant tenant, ObjectNode bundle) {
        return deploy(tenant, bundle, Json.object());
    }

    @CanIgnoreReturnValue
    JsonNode deploy(Tenant tenant, ObjectNode bundle, ObjectNode options) {
        return awaitEnd(
                tenant, call(tenant, api::create, Map.of(), options.deepCopy().set("bundle", bundle)));
    }

    @CanIgnoreReturnValue
    JsonNode rollBack(Tenant tenant, JsonNode deployment) {
        var id = deployment.path("deployment_id").asText();
        var reply = send(tenant, api::rollBack, Map.of("deployment_id", id), null);
        assertThat(reply.location()).endsWith("/tenants/" + tenant.id() + "/deployments/" + id);
        return awaitEnd(tenant, Json.parseTrusted(reply.body()));
    }

    JsonNode awaitEnd(Tenant tenant, JsonNode deployment) {
        var id = Map.of("deployment_id", deployment.path("deployment_id").asText());
        eventually(
                () -> assertThat(call(tenant, api::get, id, null).path("status").asText())
                        .isIn("ready", "failed"));
        return call(tenant, api::get, id, null);
    }

    /** Runs a query in the tenant's database as the owner of its tables; returns the first column of the first row. */
    @CanIgnoreReturnValue
    String query(Tenant tenant, String sql) {
        return TenantsFixture.await(tenants.databases.inTransaction(tenant, connection -> connection
                .query(sql)
                .execute()
                .map(rows -> rows.size() == 0
                        ? ""
                        : String.valueOf(rows.iterator().next().getValue(0)))));
    }

    /** Describes tables, columns, constraints and indexes of the tenant, without the names that contain the tenant. */
    String schema(Tenant tenant) {
        var names = tenant.names();
        return query(tenant, """
                SELECT coalesce(string_agg(line, E'\\n' ORDER BY line), '') FROM (
                  SELECT replace(c.table_name, '%2$s', '') || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
                      || coalesce(column_default, '') AS line
                    FROM information_schema.columns c WHERE table_schema = '%1$s' AND table_name LIKE '%2$s%%' AND table_name NOT LIKE '%%slipway%%'
                  UNION ALL
                  SELECT replace(replace(pg_get_constraintdef(k.oid), '%2$s', ''), '%1$s.', '') || ' ' || replace(k.conname, '%2$s', '')
                    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace
                    WHERE n.nspname = '%1$s' AND t.relname LIKE '%2$s%%' AND t.relname NOT LIKE '%%slipway%%' AND k.contype IN ('u', 'f', 'p')
                  UNION ALL
                  SELECT replace(replace(indexdef, '%2$s', ''), '%1$s.', '') FROM pg_indexes
                    WHERE schemaname = '%1$s' AND tablename LIKE '%2$s%%' AND tablename NOT LIKE '%%slipway%%'
                ) lines
                """.formatted(names.schema(), names.tablePrefix()));
    }

    /** Entitles the organization to an app of the catalog. */
    void entitle(UUID orgId, String appSlug) {
        TenantsFixture.await(tenants.outbox.transaction(TenantsFixture.context(), unit -> {
            var appId = Ids.next();
            appStore.upsertCatalogApp(unit, appId, appSlug);
            appStore.upsertEntitlement(unit, Ids.next(), orgId, appId, true, 1);
            return Future.succeededFuture();
        }));
    }

    @Override
    public void close() {
        tenants.close();
    }
}
