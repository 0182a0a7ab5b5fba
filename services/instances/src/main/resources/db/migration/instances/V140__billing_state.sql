-- The state of billing, from billing.state. An organization or a project without a row is not restricted by billing.
CREATE TABLE billing_accounts (
    org_id           uuid PRIMARY KEY,
    currency         text NOT NULL,
    state            text NOT NULL CHECK (state IN ('healthy', 'low', 'depleted')),
    at_zero          text NOT NULL CHECK (at_zero IN ('warn', 'refuse_launches', 'stop_instances')),
    refuses_launches boolean NOT NULL,
    stop_at          timestamptz,
    revision         bigint NOT NULL
);
CREATE INDEX ix_billing_accounts_stop ON billing_accounts (stop_at) WHERE stop_at IS NOT NULL;

-- spent is the usage that was booked in the month of period.
CREATE TABLE billing_budgets (
    project_id        uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    currency          text NOT NULL,
    amount            numeric NOT NULL,
    spent             numeric NOT NULL,
    period            date,
    at_limit          text NOT NULL CHECK (at_limit IN ('warn', 'refuse_launches', 'stop_instances')),
    reservation_hours int NOT NULL CHECK (reservation_hours >= 0),
    stop_at           timestamptz,
    revision          bigint NOT NULL
);
CREATE INDEX ix_billing_budgets_stop ON billing_budgets (stop_at) WHERE stop_at IS NOT NULL;

-- Versions of prices; a version does not change.
CREATE TABLE billing_prices (
    id         uuid PRIMARY KEY,
    unit       text NOT NULL,
    scope      text NOT NULL CHECK (scope IN ('default', 'plan', 'organization')),
    subject    text NOT NULL,
    version    int NOT NULL,
    currency   text NOT NULL,
    tiers      jsonb NOT NULL,
    valid_from timestamptz NOT NULL
);
CREATE INDEX ix_billing_prices_unit ON billing_prices (unit, currency, scope, subject);

-- The part of a project's budget that launches have reserved. A reservation counts until it expires, and only while its instance is neither
-- failed nor deleted; committed is the part that has become spent.
CREATE TABLE budget_reservations (
    app_instance_id uuid PRIMARY KEY REFERENCES app_instances (id) ON DELETE CASCADE,
    project_id      uuid NOT NULL,
    per_hour        numeric NOT NULL CHECK (per_hour >= 0),
    amount          numeric NOT NULL CHECK (amount > 0),
    committed       numeric NOT NULL DEFAULT 0 CHECK (committed BETWEEN 0 AND amount),
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL
);
CREATE INDEX ix_budget_reservations_project ON budget_reservations (project_id, expires_at);
CREATE INDEX ix_budget_reservations_expiry ON budget_reservations (expires_at);

-- Instances that are stopped when a balance or a budget is used up.
CREATE INDEX ix_app_instances_stoppable ON app_instances (org_id, project_id) WHERE status IN ('requested', 'deploying', 'running');
