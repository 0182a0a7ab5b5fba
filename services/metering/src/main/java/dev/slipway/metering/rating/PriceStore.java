package dev.slipway.metering.rating;

import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.TableColumns;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.metering.rating.domain.PriceScope;
import dev.slipway.metering.rating.domain.PriceTier;
import dev.slipway.metering.rating.domain.PriceVersion;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** All SQL of prices. */
public final class PriceStore {
    private static final TableColumns COLUMNS = TableColumns.of(
                    "prices",
                    "id",
                    "unit",
                    "rating_category",
                    "scope",
                    "subject",
                    "version",
                    "currency",
                    "included",
                    "tiers",
                    "snapshot_at_launch",
                    "valid_from",
                    "created_at")
            .withJson("tiers");
    private static final String SELECT = COLUMNS.select();

    /** The page query of all versions, in the order of their ids. */
    public static final String AFTER_ID = SELECT + "WHERE id > $1 ORDER BY id LIMIT $2";

    private static final String FIND_APPLICABLE = SELECT + """
            WHERE currency = $1 AND created_at <= $3 AND (scope <> 'organization' OR subject = $2) ORDER BY valid_from, version
            """;
    private static final String LIST = SELECT + """
            WHERE ($1::text IS NULL OR unit = $1) AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3
            """;
    private static final String FIND_VERSION = """
            SELECT coalesce(max(version), 0) AS version FROM prices WHERE unit = $1 AND currency = $2 AND scope = $3 AND subject = $4
            """;
    private static final String FIND_CATEGORY = "SELECT rating_category FROM usage_units WHERE id = $1";
    private static final String INSERT = COLUMNS.and("created_by").insert();
    /** As for facts that are stored: a month is not closed while something is changed that applies to it. */
    private static final String LOCK_PERIODS =
            "SELECT period, closed_at IS NOT NULL AS closed FROM usage_periods WHERE period >= $1 ORDER BY period FOR SHARE";

    private final SqlClient reads;

    /** A tier as it is stored and shown. */
    record TierJson(@Nullable String upTo, String unitPrice) {
        static TierJson of(PriceTier tier) {
            return new TierJson(
                    tier.upTo() == null ? null : tier.upTo().toPlainString(),
                    tier.unitPrice().toPlainString());
        }

        PriceTier toTier() {
            return new PriceTier(upTo == null ? null : new BigDecimal(upTo), new BigDecimal(unitPrice));
        }
    }

    private record TierList(List<TierJson> items) {}

    public PriceStore(SqlClient reads) {
        this.reads = reads;
    }

    /** Returns the versions that can apply to an organization and existed at a time: not those of other organizations. */
    static Future<List<PriceVersion>> findApplicable(
            QueryExecutor executor, UUID orgId, String currency, Instant asOf) {
        return executor.query(FIND_APPLICABLE, Tuple.of(currency, orgId.toString(), SqlTime.of(asOf)))
                .map(rows -> RatingStore.list(rows, PriceStore::price));
    }

    Future<List<PriceVersion>> findApplicable(UUID orgId, String currency, Instant asOf) {
        return findApplicable(QueryExecutor.of(reads), orgId, currency, asOf);
    }

    /** Returns versions, the newest first. */
    Future<List<PriceVersion>> list(@Nullable String unit, @Nullable UUID before, int limit) {
        return reads.preparedQuery(LIST)
                .execute(Tuple.of(unit, before, limit))
                .map(rows -> RatingStore.list(rows, PriceStore::price));
    }

    Future<Integer> findLatestVersion(
            UnitOfWork unit, String usageUnit, String currency, PriceScope scope, String subject) {
        return unit.query(FIND_VERSION, Tuple.of(usageUnit, currency, scope.text(), subject))
                .map(rows -> rows.iterator().next().getInteger("version"));
    }

    /** Returns the rating category of a unit; null if it is not registered. */
    Future<@Nullable String> findRatingCategory(UnitOfWork unit, String usageUnit) {
        return unit.query(FIND_CATEGORY, Tuple.of(usageUnit))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getString("rating_category"));
    }

    /** Locks the periods from a month on; returns the last of them that is closed, or null if none is. */
    static Future<@Nullable LocalDate> lockPeriods(UnitOfWork unit, LocalDate month) {
        return unit.query(LOCK_PERIODS, Tuple.of(month)).map(rows -> {
            LocalDate closed = null;
            for (var row : rows) {
                if (row.getBoolean("closed")) {
                    closed = row.getLocalDate("period");
                }
            }
            return closed;
        });
    }

    void insert(UnitOfWork unit, PriceVersion price, UUID createdBy) {
        unit.write(INSERT, Tuple.from(new Object[] {
            price.id(),
            price.unit(),
            price.ratingCategory(),
            price.scope().text(),
            price.subject(),
            price.version(),
            price.currency(),
            price.included(),
            Json.text(tiersJson(price)),
            price.snapshotAtLaunch(),
            SqlTime.of(price.validFrom()),
            SqlTime.of(price.createdAt()),
            createdBy
        }));
    }

    private static TierList tiersJson(PriceVersion price) {
        return new TierList(price.tiers().stream().map(TierJson::of).toList());
    }

    public static void republish(UnitOfWork unit, Row row) {
        PriceApi.publishSnapshot(unit, price(row));
    }

    private static PriceVersion price(Row row) {
        var tiers = new ArrayList<PriceTier>();
        Json.toRecord(Json.parseStoredObject(row.getString("tiers")), TierList.class)
                .items()
                .forEach(tier -> tiers.add(tier.toTier()));
        return new PriceVersion(
                row.getUUID("id"),
                row.getString("unit"),
                row.getString("rating_category"),
                TextEnum.parse(PriceScope.class, row.getString("scope")),
                row.getString("subject"),
                row.getInteger("version"),
                row.getString("currency"),
                row.getBigDecimal("included"),
                tiers,
                row.getBoolean("snapshot_at_launch"),
                SqlTime.read(row, "valid_from"),
                SqlTime.read(row, "created_at"));
    }
}
