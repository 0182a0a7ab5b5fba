CREATE TABLE app_artifacts (
    id                      uuid PRIMARY KEY,
    resource_name           text NOT NULL UNIQUE,
    org_id                  uuid NOT NULL,
    project_id              uuid NOT NULL,
    app_slug                text,
    artifact_type           text NOT NULL,
    artifact_type_version   int NOT NULL,
    deployable              boolean NOT NULL,
    artifact_kind           text NOT NULL CHECK (artifact_kind IN ('oci', 'blob')),
    source_type             text NOT NULL CHECK (source_type IN ('oci', 'https', 's3')),
    source_uri              text NOT NULL,
    source_ref              text,
    source_size_bytes       bigint,
    source_content_encoding text,
    repository              text NOT NULL,
    tag                     text,
    digest                  text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    media_type              text,
    size_bytes              bigint NOT NULL,
    visibility              text NOT NULL CHECK (visibility IN ('project', 'tenant', 'platform')),
    lifecycle_state         text NOT NULL CHECK (lifecycle_state IN ('published', 'promoted', 'deprecated', 'retired')),
    -- What its verification made of it. That the digest was revoked is in revoked_digests, once for all who registered it.
    trust_state             text NOT NULL CHECK (trust_state IN ('unverified', 'verified', 'failed_verification')),
    trust_reason            text,
    channel                 text CHECK (channel IN ('dev', 'test', 'staging', 'prod')),
    verification            jsonb,
    sequence                bigint NOT NULL,
    created_by_principal_id uuid NOT NULL,
    created_by_user_id      uuid NOT NULL,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    UNIQUE (project_id, repository, digest),
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id)
);
CREATE INDEX ix_app_artifacts_project ON app_artifacts (project_id, created_at DESC, id DESC);
CREATE INDEX ix_app_artifacts_digest ON app_artifacts (digest);
CREATE INDEX ix_app_artifacts_tenant ON app_artifacts (org_id, created_at DESC, id DESC) WHERE visibility = 'tenant';
CREATE INDEX ix_app_artifacts_platform ON app_artifacts (created_at DESC, id DESC) WHERE visibility = 'platform';

-- A digest is the same bytes wherever it is registered, so the trust in it ends everywhere at once.
CREATE TABLE revoked_digests (
    digest      text PRIMARY KEY CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    artifact_id uuid NOT NULL REFERENCES app_artifacts (id),
    reason      text NOT NULL,
    revoked_at  timestamptz NOT NULL
);

CREATE TABLE artifact_history (
    id                 uuid PRIMARY KEY,
    artifact_id        uuid NOT NULL REFERENCES app_artifacts (id),
    project_id         uuid NOT NULL,
    sequence           bigint NOT NULL,
    event              text NOT NULL,
    lifecycle_state    text NOT NULL,
    trust_from         text,
    trust_to           text NOT NULL,
    channel            text,
    reason             text,
    actor_principal_id uuid NOT NULL,
    actor_type         text NOT NULL,
    correlation_id     text NOT NULL,
    occurred_at        timestamptz NOT NULL,
    UNIQUE (artifact_id, sequence)
);
CREATE INDEX ix_artifact_history ON artifact_history (artifact_id, occurred_at DESC, id DESC);

-- Who was given a credential for what, and until when. Never the credential.
CREATE TABLE artifact_intents (
    id                      uuid PRIMARY KEY,
    org_id                  uuid NOT NULL,
    project_id              uuid NOT NULL,
    action                  text NOT NULL CHECK (action IN ('publish', 'pull')),
    registry                text NOT NULL,
    host                    text NOT NULL,
    repository              text NOT NULL,
    artifact_id             uuid REFERENCES app_artifacts (id),
    lease_id                text NOT NULL UNIQUE,
    created_by_principal_id uuid NOT NULL,
    created_at              timestamptz NOT NULL,
    expires_at              timestamptz NOT NULL,
    FOREIGN KEY (project_id, org_id) REFERENCES projects (id, org_id)
);
CREATE INDEX ix_artifact_intents_project ON artifact_intents (project_id, created_at DESC, id DESC);

-- Which versions name a digest: asked when it is revoked.
CREATE INDEX ix_app_versions_artifacts ON app_versions USING gin ((manifest -> 'artifacts') jsonb_path_ops);
