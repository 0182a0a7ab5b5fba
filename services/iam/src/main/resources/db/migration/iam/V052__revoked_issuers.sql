-- Issuers whose users, bindings and keys were revoked for good: the demo's, by a start without it.
CREATE TABLE revoked_issuers (
    issuer     text PRIMARY KEY,
    revoked_at timestamptz NOT NULL
);
