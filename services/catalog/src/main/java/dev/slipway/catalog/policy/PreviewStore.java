package dev.slipway.catalog.policy;

import dev.slipway.contract.Cursor;
import dev.slipway.contract.Json;
import dev.slipway.policy.LaunchRules.Asked;
import dev.slipway.policy.Level;
import dev.slipway.policy.PolicyDocument;
import dev.slipway.policy.PolicyKeys;
import dev.slipway.service.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Reads whom a change of policy would touch. */
public final class PreviewStore {
    /** Of the instances of one page; what is beyond is not looked at. */
    private static final int MAX_INSTANCES = 20_000;

    private static final String HELD = """
            SELECT e.id, e.org_id, e.project_id, p.department_id, o.plan, a.slug, e.policy_overrides::text AS overrides, e.revision,
                e.enabled, e.created_at
            FROM project_app_entitlements e JOIN app_catalog a ON a.id = e.app_id
            JOIN projects p ON p.id = e.project_id AND p.org_id = e.org_id
            LEFT JOIN organizations o ON o.id = e.org_id
            WHERE ($1::text IS NULL OR o.plan = $1) AND ($2::uuid IS NULL OR e.org_id = $2)
            AND ($3::uuid IS NULL OR p.department_id = $3) AND ($4::uuid IS NULL OR e.project_id = $4)
            AND ($5::timestamptz IS NULL OR (e.created_at, e.id) < ($5, $6::uuid))
            ORDER BY e.created_at DESC, e.id DESC LIMIT $7
            """;
    private static final String SAID = """
            SELECT l.level, l.subject_id, l.version, l.said::text AS said, l.hard_denies::text AS hard_denies
            FROM unnest($1::text[], $2::text[]) AS place (level, subject_id)
            JOIN policy_levels l ON l.level = place.level AND l.subject_id = place.subject_id AND l.version > 0
            """;
    /** A version's manifest is read once, however many instances it has. */
    private static final String LAUNCHED = """
            WITH touched AS MATERIALIZED (
                SELECT i.* FROM unnest($1::uuid[], $2::text[]) AS pair (project_id, app_slug)
                JOIN launched_instances i ON i.project_id = pair.project_id AND i.app_slug = pair.app_slug AND i.status <> 'deleted'
                ORDER BY i.id DESC LIMIT $3),
            versions AS MATERIALIZED (
                SELECT a.slug, v.version, ARRAY(SELECT jsonb_path_query(v.manifest, '$.artifacts[*].reference') #>> '{}') AS artifact_sources
                FROM (SELECT DISTINCT app_slug, app_version FROM touched) used
                JOIN app_catalog a ON a.slug = used.app_slug
                JOIN app_versions v ON v.app_id = a.id AND v.version = used.app_version)
            SELECT i.id, i.project_id, i.app_slug, i.status, i.operating_mode, i.control_plane_scope, i.region, i.sku, i.gpu_count,
                v.artifact_sources
            FROM touched i JOIN versions v ON v.slug = i.app_slug AND v.version = i.app_version
            ORDER BY i.id DESC
            """;

    /** An entitlement, and where it is. */
    record Held(
            UUID id,
            UUID orgId,
            UUID projectId,
            @Nullable UUID departmentId,
            @Nullable String plan,
            String appSlug,
            String overrides,
            long revision,
            boolean enabled,
            Instant createdAt) {

        /** The levels that speak to it, by level and subject. */
        List<Said> places() {
            var places = new ArrayList<Said>();
            places.add(new Said(Level.GLOBAL, PolicyDocument.PLATFORM));
            if (plan != null) {
                places.add(new Said(Level.PLAN, plan));
            }
            places.add(new Said(Level.ORGANIZATION, orgId.toString()));
            if (departmentId != null) {
                places.add(new Said(Level.DEPARTMENT, departmentId.toString()));
            }
            places.add(new Said(Level.PROJECT, projectId.toString()));
            return places;
        }

        Pair pair() {
            return new Pair(projectId, appSlug);
        }
    }

    /** Whose policy. */
    record Said(Level level, String subjectId) {}

    /** Instances of one app in one project. */
    record Pair(UUID projectId, String appSlug) {}

    /** An instance as far as policy looks at it. */
    record Launched(UUID id, String status, Asked asked) {}

    private final SqlClient reads;

    public PreviewStore(SqlClient reads) {
        this.reads = reads;
    }

    Future<Page<Held>> held(Subject subject, @Nullable Cursor after, int limit) {
        var row = Tuple.from(new Object[] {
            subject.plan(),
            subject.orgId(),
            subject.departmentId(),
            subject.projectId(),
            after == null ? null : after.createdAt().atOffset(ZoneOffset.UTC),
            after == null ? null : after.id(),
            limit + 1
        });
        return reads.preparedQuery(HELD).execute(row).map(rows -> {
            var found = new ArrayList<Held>();
            rows.forEach(each -> found.add(held(each)));
            return Page.of(found, limit, last -> new Cursor(last.createdAt(), last.id()));
        });
    }

    Future<Map<Said, PolicyDocument>> said(PolicyKeys keys, List<Held> held) {
        var places = new LinkedHashSet<Said>();
        held.forEach(each -> places.addAll(each.places()));
        var row = Tuple.tuple()
                .addArrayOfString(
                        places.stream().map(place -> place.level.text()).toArray(String[]::new))
                .addArrayOfString(places.stream().map(Said::subjectId).toArray(String[]::new));
        return reads.preparedQuery(SAID).execute(row).map(rows -> {
            var documents = new HashMap<Said, PolicyDocument>();
            rows.forEach(each -> {
                var document = PolicyStore.document(keys, Level.of(each.getString("level")), each);
                documents.put(new Said(document.level(), document.subject()), document);
            });
            return documents;
        });
    }

    Future<Map<Pair, List<Launched>>> launched(List<Held> held) {
        var row = Tuple.tuple()
                .addArrayOfUUID(held.stream().map(Held::projectId).toArray(UUID[]::new))
                .addArrayOfString(held.stream().map(Held::appSlug).toArray(String[]::new))
                .addInteger(MAX_INSTANCES);
        return reads.preparedQuery(LAUNCHED).execute(row).map(rows -> {
            var launched = new HashMap<Pair, List<Launched>>();
            for (var each : rows) {
                var pair = new Pair(each.getUUID("project_id"), each.getString("app_slug"));
                launched.computeIfAbsent(pair, ignored -> new ArrayList<>()).add(launched(each));
            }
            return launched;
        });
    }

    private static Launched launched(Row row) {
        var asked = new Asked(
                row.getString("app_slug"),
                row.getString("operating_mode"),
                row.getString("control_plane_scope"),
                row.getString("region"),
                row.getString("sku"),
                row.getInteger("gpu_count"),
                List.of(row.getArrayOfStrings("artifact_sources")));
        return new Launched(row.getUUID("id"), row.getString("status"), asked);
    }

    private static Held held(Row row) {
        return new Held(
                row.getUUID("id"),
                row.getUUID("org_id"),
                row.getUUID("project_id"),
                row.getUUID("department_id"),
                row.getString("plan"),
                row.getString("slug"),
                row.getString("overrides"),
                row.getLong("revision"),
                row.getBoolean("enabled"),
                row.getOffsetDateTime("created_at").toInstant());
    }

    static PolicyDocument overrides(PolicyKeys keys, Held held) {
        return PolicyDocument.stored(
                keys,
                Level.ENTITLEMENT,
                held.id().toString(),
                held.revision(),
                Json.trusted(held.overrides()),
                Json.object());
    }
}
