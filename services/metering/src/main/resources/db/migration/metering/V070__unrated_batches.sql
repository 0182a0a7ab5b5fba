-- The facts of a transaction that have no rated lines yet, one row per period. Inserted with the facts, deleted with the insertion of their
-- rated lines. One row for many facts: a queue with a row per fact costs as much as the facts, and its deleted rows slow its reader down.
CREATE TABLE unrated_batches (
    batch_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    period    date NOT NULL,
    facts     int NOT NULL CHECK (facts > 0),
    fact_keys bigint[] NOT NULL
);
CREATE INDEX ix_unrated_batches_period ON unrated_batches (period, batch_key);

INSERT INTO unrated_batches (period, facts, fact_keys)
SELECT period, count(*), array_agg(fact_key ORDER BY fact_key) FROM unrated_facts GROUP BY period, fact_key / 5000 ORDER BY period, fact_key / 5000;
DROP TABLE unrated_facts;

CREATE VIEW unrated_facts AS SELECT unnest(fact_keys) AS fact_key, period FROM unrated_batches;
