-- The verdicts of release candidates, from evidence.state.
CREATE TABLE release_verdicts (
    release_id         uuid PRIMARY KEY,
    product            text NOT NULL,
    version            text NOT NULL,
    verdict            text NOT NULL,
    release_verdict_id uuid NOT NULL,
    valid_until        timestamptz,
    artifact_digests   text[] NOT NULL,
    revision           bigint NOT NULL
);
CREATE INDEX ix_release_verdicts_version ON release_verdicts (product, version, release_id DESC);
CREATE INDEX ix_release_verdicts_digests ON release_verdicts USING gin (artifact_digests);

-- The time of the last heartbeat of evidence.state.
CREATE TABLE release_verdicts_freshness (
    single        boolean PRIMARY KEY CHECK (single),
    replicated_at timestamptz NOT NULL
);

ALTER TABLE app_artifacts ADD COLUMN release_verdict_id uuid;
ALTER TABLE app_versions ADD COLUMN release_verdict_id uuid;
