-- The newest result of each consistency check of each service.
CREATE TABLE consistency_results (
    service      text NOT NULL,
    name         text NOT NULL,
    description  text NOT NULL,
    started_at   timestamptz NOT NULL,
    completed_at timestamptz NOT NULL,
    checked      bigint NOT NULL,
    differences  bigint NOT NULL,
    examples     jsonb NOT NULL,
    PRIMARY KEY (service, name)
);
