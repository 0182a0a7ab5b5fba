-- A month before the last closed one is closed, too: usage of it is booked after the last closed month. This function created it as open.
CREATE OR REPLACE FUNCTION create_usage_period(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    first date := date_trunc('month', month);
    name  text := 'usage_facts_' || to_char(first, 'YYYYMM');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('create_usage_period'));
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE %I PARTITION OF usage_facts FOR VALUES FROM (%L) TO (%L)', name, first, (first + interval '1 month')::date);
        EXECUTE format('REVOKE UPDATE, DELETE, TRUNCATE ON %I FROM slipway_metering', name);
    END IF;
    INSERT INTO usage_periods (period, closed_at)
    SELECT first, (SELECT closed_at FROM usage_periods WHERE period > first AND closed_at IS NOT NULL ORDER BY period LIMIT 1)
    ON CONFLICT DO NOTHING;
END $$;

-- Usage belongs to the attachment that existed in its window. requested_at is null for attachments that were requested before it was recorded.
ALTER TABLE metered_attachments
    ADD COLUMN requested_at timestamptz,
    ADD COLUMN detached_at timestamptz;
UPDATE metered_attachments m SET detached_at = r.detached_at FROM runtime_attachments r WHERE r.attachment_id = m.attachment_id;
