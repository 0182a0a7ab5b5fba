-- The catalog decides which runtime backends exist.
ALTER TABLE app_versions DROP CONSTRAINT app_versions_runtime_backend_check;
