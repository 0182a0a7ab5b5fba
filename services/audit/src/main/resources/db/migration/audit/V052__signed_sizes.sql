-- The size of the newest checkpoint of each log. Not a column of log_heads: appends hold the lock of a head most of the time, and checkpoints
-- would wait for it.
CREATE TABLE log_signed_sizes (
    log_id uuid PRIMARY KEY,
    size   bigint NOT NULL
);
INSERT INTO log_signed_sizes (log_id, size) SELECT log_id, signed_size FROM log_heads WHERE signed_size > 0;
REVOKE DELETE, TRUNCATE ON log_signed_sizes FROM slipway_audit;

DROP INDEX ix_log_heads_unsigned;
ALTER TABLE log_heads DROP COLUMN signed_size;

-- The current trees of logs that have entries after their newest checkpoint.
CREATE VIEW log_unsigned_heads AS
    SELECT h.log_id, h.size, h.roots
    FROM log_heads h LEFT JOIN log_signed_sizes s USING (log_id)
    WHERE h.size > coalesce(s.size, 0);
