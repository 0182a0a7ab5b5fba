-- Only what tenants see is searched: a word that thousands of apps have costs a look at each of them, and whether it is published need not be part of it.
DROP INDEX ix_app_catalog_search;
CREATE INDEX ix_app_catalog_search ON app_catalog USING gin (search) WITH (fastupdate = off) WHERE published;
