-- Until when everything that metering committed is known here: one row. Null before the first heartbeat: then nothing is stopped.
CREATE TABLE billing_freshness (
    known_until timestamptz
);

INSERT INTO billing_freshness VALUES (NULL);
