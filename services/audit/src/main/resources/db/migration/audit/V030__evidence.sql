-- The evidence types of the registry, from catalog.state.
CREATE TABLE evidence_types (
    id        text PRIMARY KEY,
    version   integer NOT NULL,
    lifecycle text NOT NULL,
    body      jsonb NOT NULL
);

-- Release candidates. Only the verdict changes; every change of evidence increments the revision.
CREATE TABLE release_candidates (
    id                   uuid PRIMARY KEY,
    org_id               uuid,
    project_id           uuid,
    product              text NOT NULL,
    version              text NOT NULL,
    source_sha           text NOT NULL,
    branch               text NOT NULL,
    environment          text NOT NULL,
    profile              text NOT NULL,
    production_impacting boolean NOT NULL,
    capacity_impacting   boolean NOT NULL,
    required_journeys    text[] NOT NULL,
    author_id            uuid NOT NULL,
    author_user_id       uuid NOT NULL,
    revision             bigint NOT NULL,
    verdict              text NOT NULL CHECK (verdict IN ('pass', 'blocked', 'waived')),
    release_verdict_id   uuid NOT NULL,
    valid_until          timestamptz,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    CHECK ((org_id IS NULL) = (project_id IS NULL))
);
CREATE INDEX ix_release_candidates_page ON release_candidates (created_at DESC, id DESC);
CREATE INDEX ix_release_candidates_project ON release_candidates (project_id, created_at DESC, id DESC);
CREATE INDEX ix_release_candidates_product ON release_candidates (product, created_at DESC, id DESC);
CREATE INDEX ix_release_candidates_source ON release_candidates (source_sha);
REVOKE UPDATE, DELETE, TRUNCATE ON release_candidates FROM slipway_audit;
GRANT UPDATE (revision, verdict, release_verdict_id, valid_until, updated_at) ON release_candidates TO slipway_audit;

-- Evidence is superseded, never changed or deleted. Content above a limit is in the object store, under its digest.
CREATE TABLE evidence_items (
    id               uuid PRIMARY KEY,
    release_id       uuid NOT NULL REFERENCES release_candidates,
    sequence         bigint NOT NULL,
    type             text NOT NULL,
    type_version     integer NOT NULL,
    owner            text NOT NULL,
    subject          text NOT NULL,
    result           text NOT NULL,
    source_sha       text NOT NULL,
    fields           text NOT NULL,
    format           text NOT NULL,
    digest           text NOT NULL,
    content_digest   text,
    content_bytes    bigint NOT NULL,
    content          bytea,
    retention_class  text NOT NULL,
    release_blocking boolean NOT NULL,
    producer_id      uuid,
    producer_type    text NOT NULL,
    correlation_id   text NOT NULL,
    supersedes_id    uuid REFERENCES evidence_items,
    recorded_at      timestamptz NOT NULL,
    UNIQUE (release_id, sequence),
    UNIQUE (supersedes_id)
);
CREATE INDEX ix_evidence_items_current ON evidence_items (release_id, type, subject, sequence DESC);

CREATE TABLE release_waivers (
    id         uuid PRIMARY KEY,
    release_id uuid NOT NULL REFERENCES release_candidates,
    gate       text NOT NULL,
    owner      text NOT NULL,
    reason     text NOT NULL,
    granted_by uuid NOT NULL,
    granted_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL CHECK (expires_at > granted_at)
);
CREATE INDEX ix_release_waivers_release ON release_waivers (release_id);

-- One verdict per gate and revision. The document has everything that the verdict was computed from; its digest covers it.
CREATE TABLE gate_verdicts (
    id                 uuid PRIMARY KEY,
    release_id         uuid NOT NULL REFERENCES release_candidates,
    release_verdict_id uuid NOT NULL,
    revision           bigint NOT NULL,
    gate               text NOT NULL,
    verdict            text NOT NULL CHECK (verdict IN ('pass', 'blocked', 'waived')),
    document           text NOT NULL,
    digest             text NOT NULL,
    evaluated_at       timestamptz NOT NULL,
    UNIQUE (release_id, revision, gate)
);
CREATE INDEX ix_gate_verdicts_page ON gate_verdicts (release_id, evaluated_at DESC, id DESC);
REVOKE UPDATE, DELETE, TRUNCATE ON evidence_items, release_waivers, gate_verdicts FROM slipway_audit;

-- Which topic, by the broker's own id, contains the complete state, and in which layout of the records.
CREATE TABLE IF NOT EXISTS announced (
    topic    text PRIMARY KEY,
    topic_id text NOT NULL,
    layout   integer NOT NULL
);
