-- A fact can be refused again for another reason.
ALTER TABLE usage_refusals DROP CONSTRAINT usage_refusals_source_fact_id_outcome_received_hash_key;
CREATE UNIQUE INDEX ux_usage_refusals ON usage_refusals (source, fact_id, outcome, received_hash, field, problem) NULLS NOT DISTINCT;
-- Finds those to delete.
CREATE INDEX ix_usage_refusals_received ON usage_refusals (received_at);
