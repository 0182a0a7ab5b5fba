-- Who has which token, until it ends: what its owner, or the owner's administrator, may revoke it by.
CREATE TABLE issued_tokens (
    jti          uuid PRIMARY KEY,
    principal_id uuid NOT NULL,
    org_id       uuid,
    project_id   uuid,
    expires_at   timestamptz NOT NULL
);
CREATE INDEX ix_issued_tokens_end ON issued_tokens (expires_at);

CREATE TABLE revocations (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('token', 'credential')),
    expires_at timestamptz NOT NULL
);
CREATE INDEX ix_revocations_end ON revocations (expires_at);

-- Private halves are encrypted with a key from the configuration, so that every IAM process signs with the same ones. Issuers name
-- their keys as they like: two may choose one name.
ALTER TABLE signing_keys
    DROP CONSTRAINT signing_keys_pkey,
    ADD PRIMARY KEY (issuer, kid),
    ADD COLUMN private_key bytea,
    ADD COLUMN signs_from timestamptz,
    ADD COLUMN revoked_at timestamptz,
    ADD COLUMN audience text,
    ADD COLUMN name_claim text,
    ADD CHECK ((private_key IS NULL) = (signs_from IS NULL));
