-- The first answer to a request, given again when its key comes again. Successes only.
CREATE TABLE idempotency (
    principal_id uuid NOT NULL,
    operation    text NOT NULL,
    key          text NOT NULL,
    request_hash bytea NOT NULL,
    location     text,
    body         bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (principal_id, operation, key)
);
CREATE INDEX ix_idempotency_created ON idempotency (created_at);
