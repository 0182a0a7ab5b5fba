package dev.slipway.audit.evidence;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Row;

import java.nio.charset.StandardCharsets;

/** All SQL of republishing the verdicts of releases. */
final class ReleaseSnapshotStore {
    /** Reads all rows page by page. A fast candidate has the artifacts of the validated one, unless it has its own. */
    static final String AFTER_ID = """
            SELECT c.*, (SELECT coalesce(json_agg(DISTINCT d), '[]')::text
                FROM (SELECT DISTINCT ON (subject) fields FROM evidence_items i
                    WHERE i.release_id IN (c.id, (SELECT v.id FROM release_candidates v WHERE v.id = c.validated_release_id AND v.verdict = 'pass'))
                        AND i.type = 'artifact_digests'
                    ORDER BY subject, i.release_id = c.id DESC, sequence DESC) AS current,
                    jsonb_array_elements_text(current.fields::jsonb -> 'digests') AS d) AS digests
            FROM release_candidates c WHERE c.id > $1 ORDER BY c.id LIMIT $2 FOR SHARE OF c
            """;

    private ReleaseSnapshotStore() {}

    /** Publishes the snapshot of a row of {@link #AFTER_ID} again. */
    static void republish(UnitOfWork unit, Row row) {
        var digests = Json.parseTrusted(row.getString("digests").getBytes(StandardCharsets.UTF_8));
        ReleaseEvents.publishSnapshot(
                unit,
                ReleaseStore.toCandidate(row),
                digests.valueStream().map(JsonNode::asText).toList());
    }
}
