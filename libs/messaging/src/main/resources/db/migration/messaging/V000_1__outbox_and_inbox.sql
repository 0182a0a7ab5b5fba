-- What a transaction announces, until the relay has published it. A row is deleted once the broker has it.
CREATE TABLE outbox (
    seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id       uuid NOT NULL,
    event_type     text NOT NULL,
    topic          text NOT NULL,
    key            text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    correlation_id text NOT NULL,
    traceparent    text,
    value          bytea NOT NULL
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);

-- Which events a consumer has applied: written in the transaction of their effect, so that a second delivery does nothing.
CREATE TABLE inbox (
    consumer    text NOT NULL,
    event_id    uuid NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX ix_inbox_received ON inbox (received_at);
