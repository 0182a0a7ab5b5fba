-- A call comes with every request: what is kept of it is kept once, and indexed for the one way it is looked for.
DROP INDEX ix_calls_org;
DROP INDEX ix_calls_project;
ALTER TABLE calls
    ADD COLUMN method       text,
    ADD COLUMN operation_id text,
    ADD COLUMN path         text,
    ADD COLUMN status       integer,
    ADD COLUMN code         text,
    ADD COLUMN actor_type   text,
    ADD COLUMN duration_us  bigint;
UPDATE calls
SET method       = payload ->> 'method',
    operation_id = payload ->> 'operation_id',
    path         = payload ->> 'path',
    status       = (payload ->> 'status')::integer,
    code         = payload ->> 'code',
    actor_type   = payload ->> 'actor_type',
    duration_us  = (payload ->> 'duration_us')::bigint;
ALTER TABLE calls
    ALTER COLUMN method SET NOT NULL,
    ALTER COLUMN path SET NOT NULL,
    ALTER COLUMN status SET NOT NULL,
    ALTER COLUMN duration_us SET NOT NULL,
    DROP COLUMN title,
    DROP COLUMN payload;
