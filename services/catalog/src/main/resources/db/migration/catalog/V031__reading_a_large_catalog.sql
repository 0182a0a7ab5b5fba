-- Pages are of what tenants see, whatever else there is.
DROP INDEX ix_app_catalog_created;
CREATE INDEX ix_app_catalog_created ON app_catalog (created_at DESC, id DESC) WHERE published;

-- Apps are written seldom and searched often: what was written last must not be gone through word by word by each search, until a vacuum comes.
DROP INDEX ix_app_catalog_search;
CREATE INDEX ix_app_catalog_search ON app_catalog USING gin (search) WITH (fastupdate = off);

-- The newest version in a status is its first entry; the row itself, which has a manifest, is not needed to name it.
DROP INDEX ix_app_versions_app_status;
CREATE INDEX ix_app_versions_app_status ON app_versions (app_id, status, created_at DESC) INCLUDE (id);
