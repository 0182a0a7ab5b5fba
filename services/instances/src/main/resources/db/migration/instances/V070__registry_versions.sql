-- The version of every registry entry that an app version was published under, and that the instances of it were made under; unknown for
-- those from before. Revision 0 lets the catalog's snapshots fill in what is new.
ALTER TABLE app_versions ADD COLUMN registry_versions jsonb;
UPDATE app_versions SET revision = 0;
ALTER TABLE app_instances ADD COLUMN registry_versions jsonb;
