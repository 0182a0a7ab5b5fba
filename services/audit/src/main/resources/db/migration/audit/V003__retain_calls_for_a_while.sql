-- The access log is retained for a limited time, and shows which rejected requests came from outside of the organization or project.
ALTER TABLE calls
    ADD COLUMN outsider boolean NOT NULL DEFAULT false,
    ADD COLUMN count    integer NOT NULL DEFAULT 1;
-- Older rows do not say who was an outsider: 404 is also the answer to outsiders.
UPDATE calls SET outsider = true WHERE status = 404 OR (status >= 400 AND principal_id IS NULL);
CREATE INDEX ix_calls_occurred_at ON calls USING brin (occurred_at);
GRANT DELETE ON calls TO slipway_audit;
