-- Earlier results of the consistency checks: a row when a result differs from the one before. consistency_results has the newest of each.
CREATE TABLE consistency_history (
    service      text NOT NULL,
    name         text NOT NULL,
    completed_at timestamptz NOT NULL,
    checked      bigint NOT NULL,
    differences  bigint NOT NULL,
    examples     jsonb NOT NULL,
    PRIMARY KEY (service, name, completed_at)
);

-- Earlier states of the components: a row when the state that a process reports differs from the one before.
CREATE TABLE status_component_history (
    component_id   text NOT NULL,
    process_id     uuid NOT NULL,
    observed_at    timestamptz NOT NULL,
    rollout_status text NOT NULL,
    health         text NOT NULL,
    version        text NOT NULL,
    source_commit  text,
    stopping       boolean NOT NULL,
    PRIMARY KEY (component_id, process_id, observed_at)
);

REVOKE UPDATE, DELETE, TRUNCATE ON consistency_history, status_component_history FROM slipway_audit;
