-- Read model of the runtime_backend registry. It starts with the seeds, so that adapters can be created before the catalog has published.
CREATE TABLE runtime_backends (
    id       text PRIMARY KEY,
    state    text NOT NULL,
    revision bigint NOT NULL
);

INSERT INTO runtime_backends (id, state, revision)
VALUES ('k8s', 'active', 0), ('rke2', 'active', 0), ('slurm', 'active', 0), ('ray', 'active', 0), ('bare_metal', 'active', 0);
