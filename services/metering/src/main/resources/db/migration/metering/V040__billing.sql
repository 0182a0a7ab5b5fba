-- The plans of organizations over time, from iam.state.
CREATE TABLE org_plans (
    org_id     uuid NOT NULL,
    plan       text NOT NULL,
    valid_from timestamptz NOT NULL,
    PRIMARY KEY (org_id, valid_from)
);

-- When instances were launched: a price can be fixed at launch.
CREATE TABLE instance_launches (
    app_instance_id uuid PRIMARY KEY,
    org_id          uuid NOT NULL,
    launched_at     timestamptz NOT NULL
);

CREATE TABLE runtime_attachments (
    attachment_id     uuid PRIMARY KEY,
    shared_runtime_id uuid NOT NULL,
    org_id            uuid NOT NULL,
    project_id        uuid NOT NULL,
    attached_at       timestamptz NOT NULL,
    detached_at       timestamptz
);
CREATE INDEX ix_runtime_attachments_org ON runtime_attachments (org_id);

-- Versions of prices. subject is the plan or the organization of the scope, and empty for the default.
CREATE TABLE prices (
    id                 uuid PRIMARY KEY,
    unit               text NOT NULL,
    rating_category    text NOT NULL,
    scope              text NOT NULL CHECK (scope IN ('default', 'plan', 'organization')),
    subject            text NOT NULL CHECK ((subject = '') = (scope = 'default')),
    version            int NOT NULL CHECK (version >= 1),
    currency           text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    included           numeric NOT NULL CHECK (included >= 0),
    tiers              jsonb NOT NULL,
    snapshot_at_launch boolean NOT NULL,
    valid_from         timestamptz NOT NULL,
    created_at         timestamptz NOT NULL,
    created_by         uuid NOT NULL,
    UNIQUE (unit, currency, scope, subject, version)
);

-- Versions of the policies by which the cost of shared runtimes is divided; shares are weights by project.
CREATE TABLE cost_split_policies (
    id                uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    shared_runtime_id uuid NOT NULL,
    version           int NOT NULL CHECK (version >= 1),
    method            text NOT NULL CHECK (method IN ('owner_pays', 'equal', 'by_usage', 'by_contributed_capacity', 'fixed_shares')),
    all_lines         boolean NOT NULL,
    weight_unit       text,
    shares            jsonb NOT NULL,
    valid_from        date NOT NULL CHECK (valid_from = date_trunc('month', valid_from)::date),
    created_at        timestamptz NOT NULL,
    created_by        uuid NOT NULL,
    UNIQUE (org_id, shared_runtime_id, version)
);

-- The settings and the state of the balance of an organization. The balance itself is the sum of its ledger entries.
-- The row is the lock under which an organization is rated.
CREATE TABLE billing_accounts (
    org_id         uuid PRIMARY KEY,
    currency       text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    credit_limit   numeric CHECK (credit_limit >= 0), -- null: no limit
    low_balance    numeric NOT NULL DEFAULT 0 CHECK (low_balance >= 0),
    at_zero        text NOT NULL DEFAULT 'warn' CHECK (at_zero IN ('warn', 'refuse_launches', 'stop_instances')),
    grace_seconds  bigint NOT NULL DEFAULT 86400 CHECK (grace_seconds >= 0),
    state          text NOT NULL DEFAULT 'healthy' CHECK (state IN ('healthy', 'low', 'depleted')),
    state_since    timestamptz NOT NULL DEFAULT now(),
    postings       bigint NOT NULL DEFAULT 0,
    revision       bigint NOT NULL DEFAULT 1
);

-- The monthly budgets of projects.
CREATE TABLE budgets (
    project_id        uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    currency          text NOT NULL,
    amount            numeric NOT NULL CHECK (amount >= 0),
    spent             numeric NOT NULL DEFAULT 0,
    thresholds        int[] NOT NULL,
    at_limit          text NOT NULL CHECK (at_limit IN ('warn', 'refuse_launches', 'stop_instances')),
    grace_seconds     bigint NOT NULL CHECK (grace_seconds >= 0),
    reservation_hours int NOT NULL CHECK (reservation_hours BETWEEN 0 AND 8784),
    reached_percent   int NOT NULL DEFAULT 0,
    reached_period    date,
    exceeded_at       timestamptz,
    revision          bigint NOT NULL DEFAULT 1
);
CREATE INDEX ix_budgets_org ON budgets (org_id);

-- Rated usage: the current quantity and amount of each line. Derived from facts, prices and launches; can be rebuilt.
CREATE TABLE rated_lines (
    id                uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    unit              text NOT NULL,
    usage_month       date NOT NULL,
    price_from        timestamptz NOT NULL,
    price_id          uuid REFERENCES prices (id),
    project_id        uuid,
    app_instance_id   uuid,
    shared_runtime_id uuid,
    attachment_id     uuid,
    source_project_id uuid,
    app_slug          text,
    resource_type     text,
    resource_id       text,
    currency          text NOT NULL,
    quantity          numeric NOT NULL,
    amount            numeric NOT NULL,
    updated_at        timestamptz NOT NULL
);
CREATE INDEX ix_rated_lines_key ON rated_lines (org_id, unit, usage_month);
CREATE INDEX ix_rated_lines_runtime ON rated_lines (org_id, shared_runtime_id, usage_month) WHERE shared_runtime_id IS NOT NULL;
CREATE INDEX ix_rated_lines_unit ON rated_lines (unit, usage_month);

-- The parts of lines that projects, or the organization without a project, pay, by the period in which they are booked.
CREATE TABLE charges (
    org_id   uuid NOT NULL,
    line_id  uuid NOT NULL,
    payer_id uuid,
    period   date NOT NULL,
    amount   numeric NOT NULL,
    UNIQUE NULLS NOT DISTINCT (line_id, payer_id, period)
);
CREATE INDEX ix_charges_period ON charges (org_id, period);

-- The quantity of each line by the period in which it is booked.
CREATE TABLE line_quantities (
    line_id  uuid NOT NULL,
    period   date NOT NULL,
    quantity numeric NOT NULL,
    PRIMARY KEY (line_id, period)
);

-- Rating keys whose prices or cost splits have changed: they are rated again from their facts.
CREATE TABLE rating_queue (
    org_id      uuid NOT NULL,
    unit        text NOT NULL,
    usage_month date NOT NULL,
    PRIMARY KEY (org_id, unit, usage_month)
);
CREATE INDEX ix_unrated_facts_period ON unrated_facts (period, fact_key);
CREATE INDEX ix_usage_facts_rating ON usage_facts (org_id, unit, window_end);

-- The ledger. Every transaction has entries whose debits equal their credits; corrections are further transactions.
CREATE TABLE ledger_accounts (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('organization', 'project', 'revenue', 'cash', 'adjustments')),
    org_id     uuid CHECK ((org_id IS NULL) = (kind IN ('revenue', 'cash', 'adjustments'))),
    project_id uuid CHECK ((project_id IS NULL) = (kind <> 'project')),
    currency   text NOT NULL,
    created_at timestamptz NOT NULL,
    UNIQUE NULLS NOT DISTINCT (kind, org_id, project_id, currency)
);
CREATE TABLE ledger_transactions (
    id             uuid PRIMARY KEY,
    org_id         uuid NOT NULL,
    type           text NOT NULL CHECK (type IN ('usage', 'top_up', 'refund', 'adjustment')),
    period         date NOT NULL,
    currency       text NOT NULL,
    reference      text NOT NULL,
    reason         text,
    correlation_id text NOT NULL,
    posted_at      timestamptz NOT NULL,
    UNIQUE (org_id, type, reference)
);
CREATE INDEX ix_ledger_transactions_org ON ledger_transactions (org_id, posted_at DESC, id);
CREATE TABLE ledger_entries (
    transaction_id uuid NOT NULL REFERENCES ledger_transactions (id),
    line           int NOT NULL,
    account_id     uuid NOT NULL REFERENCES ledger_accounts (id),
    side           text NOT NULL CHECK (side IN ('debit', 'credit')),
    amount         numeric NOT NULL CHECK (amount > 0),
    period         date NOT NULL,
    unit           text,
    price_id       uuid REFERENCES prices (id), -- the price in effect when the entry was written
    PRIMARY KEY (transaction_id, line)
);
CREATE INDEX ix_ledger_entries_account ON ledger_entries (account_id, period) INCLUDE (side, amount);
CREATE INDEX ix_ledger_accounts_org ON ledger_accounts (org_id) WHERE org_id IS NOT NULL;

-- The sums of entries by account and period, so that a balance need not be summed over all entries. Changed with the entries, in one
-- transaction; usage is the part of the debits less credits that is usage.
CREATE TABLE ledger_totals (
    account_id uuid NOT NULL REFERENCES ledger_accounts (id),
    period     date NOT NULL,
    debits     numeric NOT NULL,
    credits    numeric NOT NULL,
    usage      numeric NOT NULL,
    PRIMARY KEY (account_id, period)
);

-- Statements. A period without a row has a draft, which is computed from charges.
CREATE TABLE statements (
    org_id       uuid NOT NULL,
    period       date NOT NULL,
    currency     text NOT NULL,
    total        numeric NOT NULL,
    finalized_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, period)
);
CREATE TABLE statement_lines (
    org_id            uuid NOT NULL,
    period            date NOT NULL,
    line_id           uuid NOT NULL,
    payer_id          uuid,
    unit              text NOT NULL,
    usage_month       date NOT NULL,
    price_id          uuid,
    project_id        uuid,
    app_instance_id   uuid,
    shared_runtime_id uuid,
    source_project_id uuid,
    app_slug          text,
    resource_type     text,
    resource_id       text,
    quantity          numeric NOT NULL,
    amount            numeric NOT NULL,
    FOREIGN KEY (org_id, period) REFERENCES statements (org_id, period),
    UNIQUE NULLS NOT DISTINCT (org_id, period, line_id, payer_id)
);

-- Which compacted topics contain the whole state.
CREATE TABLE announced (
    topic    text PRIMARY KEY,
    topic_id text NOT NULL,
    layout   int NOT NULL
);

REVOKE UPDATE, DELETE, TRUNCATE ON prices, cost_split_policies, ledger_accounts, ledger_transactions, ledger_entries, statements, statement_lines
    FROM slipway_metering;
