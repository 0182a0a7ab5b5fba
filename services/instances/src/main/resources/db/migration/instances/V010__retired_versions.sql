-- A version can be retired, once no instance of it lives.
ALTER TABLE app_versions
    DROP CONSTRAINT app_versions_status_check,
    ADD CONSTRAINT app_versions_status_check CHECK (status IN ('active', 'deprecated', 'disabled', 'retired'));
