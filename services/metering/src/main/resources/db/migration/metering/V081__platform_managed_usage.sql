-- Find the usage of an app that the platform manages for several tenants.
CREATE INDEX ix_usage_facts_platform_managed ON usage_facts (app_slug, period) WHERE operating_mode = 'platform_managed';
CREATE INDEX ix_usage_dimensions_platform_managed ON usage_dimensions (app_slug) WHERE operating_mode = 'platform_managed';
