-- Plans of shared runtimes and of attachments; the request names what is planned.
CREATE TABLE shared_runtime_plans (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL,
    request      jsonb NOT NULL,
    -- A request by the plan is accepted only if it still has this outcome.
    outcome      jsonb NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX ix_shared_runtime_plans_expires ON shared_runtime_plans (expires_at);

-- The owner of a shared runtime lists the rejected reports on it.
CREATE INDEX ix_rejected_reports_subject ON rejected_reports (subject_id, rejected_at DESC, id DESC);
