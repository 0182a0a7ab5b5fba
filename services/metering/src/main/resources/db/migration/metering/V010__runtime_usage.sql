-- Shared runtimes and the organizations that own them.
CREATE TABLE metered_runtimes (
    shared_runtime_id uuid PRIMARY KEY,
    org_id            uuid NOT NULL,
    app_slug          text NOT NULL
);

-- What adapters reported to have been used of shared runtimes, each once. The runtime and its organization are always known; the project that
-- used it and the project that contributed the capacity where there is one.
CREATE TABLE reported_runtime_usage (
    shared_runtime_id uuid NOT NULL,
    usage_id          uuid NOT NULL,
    org_id            uuid NOT NULL,
    project_id        uuid,
    attachment_id     uuid,
    source_project_id uuid,
    app_slug          text NOT NULL,
    unit              text NOT NULL,
    quantity          numeric NOT NULL CHECK (quantity >= 0),
    window_start      timestamptz NOT NULL,
    window_end        timestamptz NOT NULL CHECK (window_end > window_start),
    correlation_id    text NOT NULL,
    PRIMARY KEY (shared_runtime_id, usage_id)
);
CREATE INDEX ix_reported_runtime_usage_project ON reported_runtime_usage (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX ix_reported_runtime_usage_source ON reported_runtime_usage (source_project_id) WHERE source_project_id IS NOT NULL;
