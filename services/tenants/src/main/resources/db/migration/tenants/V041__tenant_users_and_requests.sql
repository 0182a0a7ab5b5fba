-- The users of a tenant, whose number max_users limits: those who have used its data API or issued credentials of it lately.
CREATE TABLE tenant_users (
    tenant_id    uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    user_id      uuid NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, user_id)
);
ALTER TABLE tenant_usage DROP COLUMN current_users;

-- Data API requests. Processes take parts of the limit of a minute from the row, so that all of them together do not exceed it.
-- granted: what they took in the minute; last_grant: what the last one got; total and reported: all requests, and those in usage reports.
CREATE TABLE tenant_requests (
    tenant_id  uuid PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
    minute     bigint NOT NULL DEFAULT 0,
    granted    bigint NOT NULL DEFAULT 0,
    last_grant bigint NOT NULL DEFAULT 0,
    total      bigint NOT NULL DEFAULT 0,
    reported   bigint NOT NULL DEFAULT 0
);
INSERT INTO tenant_requests (tenant_id) SELECT tenant_id FROM tenants;
