-- What adapters reported to have been used. Kept for good: however often a report comes again, it is counted once.
CREATE TABLE reported_usage (
    app_instance_id uuid NOT NULL,
    usage_id        uuid NOT NULL,
    org_id          uuid NOT NULL,
    project_id      uuid NOT NULL,
    app_slug        text NOT NULL,
    unit            text NOT NULL,
    quantity        numeric NOT NULL CHECK (quantity >= 0),
    window_start    timestamptz NOT NULL,
    window_end      timestamptz NOT NULL CHECK (window_end > window_start),
    correlation_id  text NOT NULL,
    PRIMARY KEY (app_instance_id, usage_id)
);
