-- A worker claims a deployment for a limited time by its lease, and renews it during a step. A step can take longer than a transaction may be idle.
-- attempts: how often the present step failed for a reason that may pass; the lease of a failed attempt delays the next one.
ALTER TABLE deployments
    ADD COLUMN lease_id uuid,
    ADD COLUMN lease_until timestamptz,
    ADD COLUMN attempts int NOT NULL DEFAULT 0;
