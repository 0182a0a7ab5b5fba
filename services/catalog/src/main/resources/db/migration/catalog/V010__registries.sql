-- What products share, by kind and id. The row is the entry as it is now; registry_versions keeps every state it ever had.
CREATE TABLE registry_entries (
    kind         text NOT NULL CHECK (kind IN ('product', 'scope', 'usage_unit', 'audit_action', 'notification_template', 'evidence_type',
                                               'artifact_type', 'policy', 'retention_class')),
    id           text NOT NULL,
    version      integer NOT NULL CHECK (version > 0),
    state        text NOT NULL CHECK (state IN ('draft', 'active', 'deprecated', 'retired')),
    body         jsonb NOT NULL,
    -- The version of the seed that was applied last: what an administrator changed stands until the seed has a newer one. Of a scope, the
    -- revision of IAM.
    seed_version bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (kind, id)
);

CREATE TABLE registry_versions (
    kind        text NOT NULL,
    id          text NOT NULL,
    version     integer NOT NULL,
    state       text NOT NULL,
    body        jsonb NOT NULL,
    author_type text NOT NULL,
    author_id   uuid,
    author_name text NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (kind, id, version),
    FOREIGN KEY (kind, id) REFERENCES registry_entries (kind, id)
);
