-- Facts of one organization that are rated apart from those of others: because their batch could not be rated, or because the organization has facts or
-- changed prices that must be rated before. attempts counts the failed ones.
ALTER TABLE unrated_batches
    ADD COLUMN org_id uuid,
    ADD COLUMN retry_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN attempts int NOT NULL DEFAULT 0;
CREATE INDEX ix_unrated_batches_org ON unrated_batches (org_id, period, batch_key) WHERE org_id IS NOT NULL;

-- regroup: a price has changed, so facts can belong to other lines. Without it, only the amounts are divided again.
ALTER TABLE rating_queue
    ADD COLUMN regroup boolean NOT NULL DEFAULT true,
    ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN retry_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN attempts int NOT NULL DEFAULT 0;

-- When all statements of a closed period were final.
ALTER TABLE usage_periods ADD COLUMN final_at timestamptz;
