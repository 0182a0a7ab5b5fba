-- One log per organization (log_id = org_id) and one for the platform (log_id = all zeros). The current tree of each log.
CREATE TABLE log_heads (
    log_id      uuid PRIMARY KEY,
    size        bigint NOT NULL,
    -- The roots of the complete subtrees, the largest first, 32 bytes each.
    roots       bytea NOT NULL,
    -- The size of the newest checkpoint.
    signed_size bigint NOT NULL
);
CREATE INDEX ix_log_heads_unsigned ON log_heads (log_id) WHERE signed_size < size;

-- The leaves of the trees, permanent. event_id is the id of the audit record: a record that is delivered twice is appended once.
CREATE TABLE log_leaves (
    log_id    uuid NOT NULL,
    sequence  bigint NOT NULL CHECK (sequence >= 0),
    event_id  uuid NOT NULL UNIQUE,
    leaf_hash bytea NOT NULL CHECK (octet_length(leaf_hash) = 32),
    PRIMARY KEY (log_id, sequence)
);

-- The roots of subtrees of 256, 256², … leaves: together with the leaves, the hashes of all tiles.
CREATE TABLE log_nodes (
    log_id uuid NOT NULL,
    level  smallint NOT NULL CHECK (level > 0),
    index  bigint NOT NULL,
    hash   bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (log_id, level, index)
);

-- The content of the leaves. Rows are deleted when their retention ends. The columns for queries are generated, so they cannot differ from
-- the content that the leaf hash covers.
CREATE TABLE log_entries (
    log_id          uuid NOT NULL,
    sequence        bigint NOT NULL,
    recorded_at     timestamptz NOT NULL,
    content         jsonb NOT NULL,
    event_id        uuid GENERATED ALWAYS AS ((content ->> 'id')::uuid) STORED,
    project_id      uuid GENERATED ALWAYS AS ((content ->> 'project_id')::uuid) STORED,
    actor_id        text GENERATED ALWAYS AS (content #>> '{actor,principal_id}') STORED,
    action          text GENERATED ALWAYS AS (content ->> 'action') STORED,
    target_id       text GENERATED ALWAYS AS (content ->> 'target_id') STORED,
    result          text GENERATED ALWAYS AS (content ->> 'result') STORED,
    correlation_id  text GENERATED ALWAYS AS (content ->> 'correlation_id') STORED,
    retention_class text GENERATED ALWAYS AS (content ->> 'retention_class') STORED,
    PRIMARY KEY (log_id, sequence, recorded_at)
) PARTITION BY RANGE (recorded_at);
CREATE INDEX ix_log_entries_event ON log_entries (log_id, event_id);
CREATE INDEX ix_log_entries_project ON log_entries (log_id, project_id, sequence);
CREATE INDEX ix_log_entries_actor ON log_entries (log_id, actor_id, sequence);
CREATE INDEX ix_log_entries_action ON log_entries (log_id, action, sequence);
CREATE INDEX ix_log_entries_target ON log_entries (log_id, target_id, sequence);
CREATE INDEX ix_log_entries_correlation ON log_entries (log_id, correlation_id, sequence);

-- The clear values of personal fields, by JSON pointer into the content, which contains only their salted hashes. Redaction deletes rows.
CREATE TABLE log_personal_values (
    log_id   uuid NOT NULL,
    sequence bigint NOT NULL,
    values   jsonb NOT NULL,
    PRIMARY KEY (log_id, sequence)
);

REVOKE UPDATE, DELETE, TRUNCATE ON log_leaves, log_nodes FROM slipway_audit;
REVOKE UPDATE, TRUNCATE ON log_entries, log_personal_values FROM slipway_audit;
REVOKE DELETE, TRUNCATE ON log_heads FROM slipway_audit;

CREATE TABLE log_entries_default PARTITION OF log_entries DEFAULT;
REVOKE UPDATE, TRUNCATE ON log_entries_default FROM slipway_audit;

-- The runtime role cannot create tables. It calls this function before a month begins.
CREATE FUNCTION create_log_partition(month date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    first date := date_trunc('month', month);
    name  text := 'log_entries_' || to_char(first, 'YYYYMM');
BEGIN
    IF to_regclass(name) IS NULL THEN
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF log_entries FOR VALUES FROM (%L) TO (%L)',
            name, first::timestamp AT TIME ZONE 'UTC', (first + interval '1 month')::timestamp AT TIME ZONE 'UTC');
        EXECUTE format('REVOKE UPDATE, TRUNCATE ON %I FROM slipway_audit', name);
    END IF;
END $$;
REVOKE ALL ON FUNCTION create_log_partition FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_log_partition TO slipway_audit;
SELECT create_log_partition(now()::date), create_log_partition((now() + interval '1 month')::date);

-- The keys that sign checkpoints. A key signs from created_at until expires_at; the next one is created before that, and both sign meanwhile.
CREATE TABLE log_keys (
    public_key  text PRIMARY KEY,
    private_key bytea NOT NULL,
    created_at  timestamptz NOT NULL,
    rotates_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
);

-- The signed states of the logs, permanent.
CREATE TABLE log_checkpoints (
    log_id    uuid NOT NULL,
    size      bigint NOT NULL,
    root_hash bytea NOT NULL CHECK (octet_length(root_hash) = 32),
    note      text NOT NULL,
    signed_at timestamptz NOT NULL,
    PRIMARY KEY (log_id, size)
);
REVOKE UPDATE, DELETE, TRUNCATE ON log_keys, log_checkpoints FROM slipway_audit;

-- The runtime role cannot change audit_records. Redaction deletes personal values there too, and nothing else.
CREATE FUNCTION redact_audit_records(ids uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE audit_records
    SET payload = jsonb_set(payload #- '{source}' #- '{metadata}', '{actor,display_name}', '"redacted"') || '{"metadata": {}}'
    WHERE event_id = ANY(ids)
$$;
REVOKE ALL ON FUNCTION redact_audit_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit_records TO slipway_audit;

CREATE INDEX ix_log_entries_retention ON log_entries (retention_class, recorded_at);

-- The retention classes of the registry, from catalog.state.
CREATE TABLE retention_classes (
    id             text PRIMARY KEY,
    version        integer NOT NULL,
    retention_days integer NOT NULL
);

-- The content of a held log is not deleted at the end of its retention.
CREATE TABLE log_holds (
    log_id    uuid PRIMARY KEY,
    reason    text NOT NULL,
    placed_by uuid NOT NULL,
    placed_at timestamptz NOT NULL
);

-- The cosignatures of witnesses, as lines of the note.
CREATE TABLE log_cosignatures (
    log_id      uuid NOT NULL,
    size        bigint NOT NULL,
    witness     text NOT NULL,
    signature   text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (log_id, witness, size),
    FOREIGN KEY (log_id, size) REFERENCES log_checkpoints (log_id, size)
);
REVOKE UPDATE, DELETE, TRUNCATE ON log_cosignatures FROM slipway_audit;
