ALTER TABLE metered_runtimes
    ADD COLUMN operating_mode text,
    ADD COLUMN control_plane_scope text,
    ADD COLUMN runtime_backend text,
    ADD COLUMN correlation_id text,
    ADD COLUMN last_sequence bigint NOT NULL DEFAULT 0;

-- The attachments of projects to shared runtimes, also those that ended.
CREATE TABLE metered_attachments (
    attachment_id     uuid PRIMARY KEY,
    shared_runtime_id uuid NOT NULL,
    project_id        uuid NOT NULL,
    sequence          bigint NOT NULL
);
CREATE INDEX ix_metered_attachments_runtime ON metered_attachments (shared_runtime_id, project_id, sequence DESC);

-- Facts exist for the running time up to emitted_until.
ALTER TABLE running_intervals ADD COLUMN emitted_until timestamptz;
CREATE INDEX ix_running_intervals_pending ON running_intervals (started_at)
    WHERE ended_at IS NULL OR emitted_until IS NULL OR emitted_until <> ended_at;

-- When the controllers of shared runtimes ran.
CREATE TABLE runtime_intervals (
    shared_runtime_id uuid NOT NULL REFERENCES metered_runtimes,
    sequence          bigint NOT NULL,
    org_id            uuid NOT NULL,
    started_at        timestamptz NOT NULL,
    ended_at          timestamptz CHECK (ended_at >= started_at),
    emitted_until     timestamptz,
    PRIMARY KEY (shared_runtime_id, sequence)
);
CREATE UNIQUE INDEX ux_runtime_intervals_open ON runtime_intervals (shared_runtime_id) WHERE ended_at IS NULL;
CREATE INDEX ix_runtime_intervals_pending ON runtime_intervals (started_at)
    WHERE ended_at IS NULL OR emitted_until IS NULL OR emitted_until <> ended_at;

-- The last heartbeat of the adapters of each runtime backend, by the broker's clock. Running time after it is not confirmed.
CREATE TABLE adapter_heartbeats (
    runtime_backend text PRIMARY KEY,
    last_seen_at    timestamptz NOT NULL
);

-- Times in which no adapter of a runtime backend was running. They do not count as running time.
CREATE TABLE adapter_outages (
    runtime_backend text NOT NULL,
    started_at      timestamptz NOT NULL,
    ended_at        timestamptz NOT NULL CHECK (ended_at > started_at),
    PRIMARY KEY (runtime_backend, started_at)
);
