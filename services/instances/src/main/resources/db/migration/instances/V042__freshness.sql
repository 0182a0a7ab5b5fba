-- Until when everything that the catalog committed is known here: one row. At first there is nothing to know.
CREATE TABLE catalog_freshness (
    known_until timestamptz NOT NULL
);

INSERT INTO catalog_freshness VALUES (now());
