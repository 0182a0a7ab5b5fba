-- The content of evidence is deleted at the end of its retention. The item, its fields and its digests stay.
ALTER TABLE evidence_items ADD COLUMN content_deleted_at timestamptz;
CREATE INDEX ix_evidence_items_retention ON evidence_items (retention_class, recorded_at)
    WHERE content_digest IS NOT NULL AND content_deleted_at IS NULL;
CREATE INDEX ix_evidence_items_content ON evidence_items (content_digest) WHERE content_deleted_at IS NULL;

-- The runtime role cannot change evidence. It calls this function, which deletes expired content and nothing else. The content of an
-- organization whose audit log is on legal hold stays; evidence of the platform follows the hold of the platform's log.
CREATE FUNCTION delete_expired_evidence(at timestamptz, max_items integer)
RETURNS TABLE (id uuid, release_id uuid, org_id uuid, project_id uuid, content_digest text, retention_class text, in_row boolean)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH expired AS (
        SELECT e.id, r.id AS release_id, r.org_id, r.project_id, e.content IS NOT NULL AS in_row
        FROM evidence_items e
        JOIN retention_classes c ON c.id = e.retention_class
        JOIN release_candidates r ON r.id = e.release_id
        WHERE e.content_digest IS NOT NULL AND e.content_deleted_at IS NULL
            AND e.recorded_at < at - make_interval(days => c.retention_days)
            AND NOT EXISTS (SELECT FROM log_holds h
                WHERE h.log_id = coalesce(r.org_id, '00000000-0000-0000-0000-000000000000'))
        ORDER BY e.recorded_at LIMIT max_items FOR UPDATE OF e SKIP LOCKED
    )
    UPDATE evidence_items e SET content = NULL, content_deleted_at = at
    FROM expired x WHERE e.id = x.id
    RETURNING e.id, x.release_id, x.org_id, x.project_id, e.content_digest, e.retention_class, x.in_row
$$;
REVOKE ALL ON FUNCTION delete_expired_evidence FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_evidence TO slipway_audit;
