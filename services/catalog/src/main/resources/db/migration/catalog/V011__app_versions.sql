ALTER TABLE app_catalog
    ADD COLUMN product_id  text,
    ADD COLUMN description text NOT NULL DEFAULT '',
    -- Whether a version ever was published: before that, tenants do not see the app.
    ADD COLUMN published   boolean NOT NULL DEFAULT false,
    -- Words as they are, without a language: an app's name is no prose. What is no letter or digit of ASCII parts them.
    ADD COLUMN search      tsvector GENERATED ALWAYS AS (
        to_tsvector('simple'::regconfig,
                    regexp_replace(slug || ' ' || display_name || ' ' || category || ' ' || publisher || ' ' || description,
                                   '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'))) STORED;
UPDATE app_catalog a SET published = EXISTS (SELECT FROM app_versions v WHERE v.app_id = a.id);
CREATE INDEX ix_app_catalog_search ON app_catalog USING gin (search);
CREATE INDEX ix_app_catalog_category ON app_catalog (category, created_at DESC, id DESC) WHERE published;

ALTER TABLE app_versions
    DROP CONSTRAINT app_versions_status_check,
    ADD CONSTRAINT app_versions_status_check CHECK (status IN ('draft', 'active', 'deprecated', 'disabled', 'retired')),
    -- Of the canonical form, which SQL cannot make: the service fills in what was there before, at its start.
    ADD COLUMN manifest_digest   text,
    ADD COLUMN deprecation_date  date,
    ADD COLUMN successor         text,
    ADD COLUMN registry_versions jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN updated_at        timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN published_at      timestamptz;
UPDATE app_versions SET updated_at = created_at, published_at = created_at;
CREATE INDEX ix_app_versions_app_created ON app_versions (app_id, created_at DESC, id DESC);
CREATE INDEX ix_app_versions_created ON app_versions (created_at DESC, id DESC);
