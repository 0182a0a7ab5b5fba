-- Read model of the usage_unit registry. It starts with the seeds, because their snapshots may have been read already.
CREATE TABLE usage_units (
    id        text PRIMARY KEY,
    precision integer NOT NULL,
    revision  bigint NOT NULL
);

INSERT INTO usage_units (id, precision, revision) VALUES ('gpu_hour', 6, 0), ('app_runtime_hour', 6, 0), ('token', 0, 0), ('request', 0, 0);

-- Accepted usage windows. Windows of one source and unit do not overlap: nothing is counted twice.
CREATE TABLE usage_windows (
    subject_id   uuid NOT NULL,
    source       text NOT NULL,
    unit         text NOT NULL,
    usage_id     uuid NOT NULL,
    window_start timestamptz NOT NULL,
    window_end   timestamptz NOT NULL,
    PRIMARY KEY (subject_id, usage_id)
);
CREATE INDEX ix_usage_windows_end ON usage_windows (subject_id, source, unit, window_end);
