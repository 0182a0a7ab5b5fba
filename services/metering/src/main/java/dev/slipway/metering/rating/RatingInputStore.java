package dev.slipway.metering.rating;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.PriceBook.PlanChange;
import dev.slipway.metering.rating.domain.RatingInputs;
import dev.slipway.metering.rating.domain.RatingInputs.AttachedProject;
import dev.slipway.metering.rating.domain.SplitMethod;
import dev.slipway.metering.rating.domain.SplitPolicy;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/** All SQL of the inputs of rating: prices, plans, launches, attachments and cost-split policies. */
public final class RatingInputStore {
    private static final String FIND_PLANS =
            "SELECT plan, valid_from FROM org_plans WHERE org_id = $1 AND valid_from <= $2 ORDER BY valid_from";
    private static final String FIND_LAUNCHES = """
            SELECT app_instance_id, launched_at FROM instance_launches
            WHERE org_id = $1 AND ($2::uuid[] IS NULL OR app_instance_id = ANY ($2))
            """;
    private static final String FIND_ATTACHMENTS = """
            SELECT shared_runtime_id, project_id, attached_at, detached_at FROM runtime_attachments WHERE org_id = $1 AND attached_at <= $2
            """;
    private static final TableColumns POLICY = TableColumns.of(
                    "cost_split_policies",
                    "id",
                    "shared_runtime_id",
                    "version",
                    "method",
                    "all_lines",
                    "weight_unit",
                    "shares",
                    "valid_from",
                    "created_at")
            .withJson("shares");
    private static final String FIND_POLICIES = POLICY.select() + "WHERE org_id = $1 AND created_at <= $2";
    private static final String FIND_RUNTIME_POLICIES =
            POLICY.select() + "WHERE org_id = $1 AND shared_runtime_id = $2 ORDER BY version DESC LIMIT 100";
    private static final String INSERT_POLICY =
            POLICY.and("org_id", "created_by").insert();
    private static final String FIND_RUNTIME =
            "SELECT FROM metered_runtimes WHERE org_id = $1 AND shared_runtime_id = $2";
    private static final String LOCK_RUNTIME = FIND_RUNTIME + " FOR UPDATE";
    private static final String INSERT_PLAN = """
            INSERT INTO org_plans (org_id, plan, valid_from)
            SELECT $1, $2, $3 WHERE $2 IS DISTINCT FROM (
                SELECT plan FROM org_plans WHERE org_id = $1 ORDER BY valid_from DESC LIMIT 1)
            ON CONFLICT DO NOTHING RETURNING org_id
            """;
    private static final String INSERT_LAUNCH = """
            INSERT INTO instance_launches (app_instance_id, org_id, launched_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
            """;
    private static final String INSERT_ATTACHMENT = """
            INSERT INTO runtime_attachments (attachment_id, shared_runtime_id, org_id, project_id, attached_at)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (attachment_id) DO NOTHING
            """;
    private static final String END_ATTACHMENT =
            "UPDATE runtime_attachments SET detached_at = $3 WHERE org_id = $1 AND attachment_id = $2 AND detached_at IS NULL";
    /** A time after every change, so that it selects the current inputs. */
    private static final Instant AFTER_ALL_CHANGES = Instant.parse("9999-01-01T00:00:00Z");

    /** Loads the current inputs of an organization, with the launches of the given instances. */
    public Future<RatingInputs> load(QueryExecutor executor, UUID orgId, String currency, Collection<UUID> instances) {
        return load(executor, orgId, currency, AFTER_ALL_CHANGES, instances.toArray(UUID[]::new));
    }

    /** Loads the current inputs of an organization. */
    Future<RatingInputs> load(QueryExecutor executor, UUID orgId, String currency) {
        return load(executor, orgId, currency, AFTER_ALL_CHANGES, null);
    }

    /** Loads the inputs of an organization as they were at a time. */
    Future<RatingInputs> loadAsOf(QueryExecutor executor, UUID orgId, String currency, Instant asOf) {
        return load(executor, orgId, currency, asOf, null);
    }

    private static Future<RatingInputs> load(
            QueryExecutor executor, UUID orgId, String currency, Instant asOf, UUID @Nullable [] instances) {
        var atTime = Tuple.of(orgId, SqlTime.of(asOf));
        var prices = PriceStore.findApplicable(executor, orgId, currency, asOf);
        var plans = executor.query(FIND_PLANS, atTime)
                .map(rows -> RatingStore.list(
                        rows, row -> new PlanChange(row.getString("plan"), SqlTime.read(row, "valid_from"))));
        var launches = executor.query(FIND_LAUNCHES, Tuple.of(orgId, (Object) instances))
                .map(RatingInputStore::launches);
        var policies = executor.query(FIND_POLICIES, atTime).map(rows -> byRuntime(rows, RatingInputStore::policy));
        var attachments =
                executor.query(FIND_ATTACHMENTS, atTime).map(rows -> byRuntime(rows, RatingInputStore::attachment));
        return Future.all(prices, plans, launches, policies, attachments)
                .map(ok -> new RatingInputs(
                        orgId,
                        currency,
                        prices.result(),
                        plans.result(),
                        launches.result(),
                        policies.result(),
                        attachments.result()));
    }

    Future<List<SplitPolicy>> listPolicies(QueryExecutor executor, UUID orgId, UUID sharedRuntimeId) {
        return executor.query(FIND_RUNTIME_POLICIES, Tuple.of(orgId, sharedRuntimeId))
                .map(rows -> RatingStore.list(rows, RatingInputStore::policy));
    }

    Future<Boolean> hasRuntime(QueryExecutor executor, UUID orgId, UUID sharedRuntimeId) {
        return executor.query(FIND_RUNTIME, Tuple.of(orgId, sharedRuntimeId)).map(rows -> rows.size() > 0);
    }

    /** Returns false if the organization has no such shared runtime. */
    Future<Boolean> lockRuntime(UnitOfWork unit, UUID orgId, UUID sharedRuntimeId) {
        return unit.query(LOCK_RUNTIME, Tuple.of(orgId, sharedRuntimeId)).map(rows -> rows.size() > 0);
    }

    void insertPolicy(UnitOfWork unit, UUID orgId, UUID sharedRuntimeId, SplitPolicy policy, UUID createdBy) {
        unit.write(INSERT_POLICY, Tuple.from(new @Nullable Object[] {
            policy.id(),
            sharedRuntimeId,
            policy.version(),
            policy.method().text(),
            policy.allLines(),
            policy.weightUnit(),
            Json.text(sharesJson(policy)),
            policy.validFrom(),
            SqlTime.of(policy.createdAt()),
            orgId,
            createdBy
        }));
    }

    /** Stores the plan of an organization; returns whether it is another one than before. */
    Future<Boolean> insertPlan(UnitOfWork unit, UUID orgId, String plan, Instant from) {
        return unit.query(INSERT_PLAN, Tuple.of(orgId, plan, SqlTime.of(from))).map(rows -> rows.size() > 0);
    }

    void insertLaunch(UnitOfWork unit, UUID appInstanceId, UUID orgId, Instant launchedAt) {
        unit.write(INSERT_LAUNCH, Tuple.of(appInstanceId, orgId, SqlTime.of(launchedAt)));
    }

    void insertAttachment(
            UnitOfWork unit, UUID attachmentId, UUID sharedRuntimeId, UUID orgId, UUID projectId, Instant attachedAt) {
        unit.write(
                INSERT_ATTACHMENT, Tuple.of(attachmentId, sharedRuntimeId, orgId, projectId, SqlTime.of(attachedAt)));
    }

    void endAttachment(UnitOfWork unit, UUID orgId, UUID attachmentId, Instant detachedAt) {
        unit.write(END_ATTACHMENT, Tuple.of(orgId, attachmentId, SqlTime.of(detachedAt)));
    }

    private static Map<UUID, Instant> launches(RowSet<Row> rows) {
        var launches = new HashMap<UUID, Instant>();
        rows.forEach(row -> launches.put(row.getUUID("app_instance_id"), SqlTime.read(row, "launched_at")));
        return launches;
    }

    private static <T> Map<UUID, List<T>> byRuntime(RowSet<Row> rows, Function<Row, T> item) {
        var items = new HashMap<UUID, List<T>>();
        rows.forEach(row -> items.computeIfAbsent(row.getUUID("shared_runtime_id"), first -> new ArrayList<>())
                .add(item.apply(row)));
        return items;
    }

    private static AttachedProject attachment(Row row) {
        return new AttachedProject(
                row.getUUID("project_id"), SqlTime.read(row, "attached_at"), SqlTime.readNullable(row, "detached_at"));
    }

    static Map<String, String> sharesJson(SplitPolicy policy) {
        var shares = new TreeMap<String, String>();
        policy.shares().forEach((project, weight) -> shares.put(project.toString(), weight.toPlainString()));
        return shares;
    }

    private static SplitPolicy policy(Row row) {
        var shares = new HashMap<UUID, BigDecimal>();
        Json.parseStoredObject(row.getString("shares"))
                .properties()
                .forEach(share -> shares.put(
                        UUID.fromString(share.getKey()),
                        new BigDecimal(share.getValue().asText())));
        return new SplitPolicy(
                row.getUUID("id"),
                row.getInteger("version"),
                TextEnum.parse(SplitMethod.class, row.getString("method")),
                row.getBoolean("all_lines"),
                row.getString("weight_unit"),
                shares,
                row.getLocalDate("valid_from"),
                SqlTime.read(row, "created_at"));
    }
}
