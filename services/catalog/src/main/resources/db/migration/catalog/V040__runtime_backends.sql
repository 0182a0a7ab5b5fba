-- Runtime backends are entries of a registry instead of a closed list.
ALTER TABLE app_versions DROP CONSTRAINT app_versions_runtime_backend_check;
ALTER TABLE registry_entries DROP CONSTRAINT registry_entries_kind_check;
ALTER TABLE registry_entries ADD CONSTRAINT registry_entries_kind_check
    CHECK (kind IN ('product', 'scope', 'usage_unit', 'audit_action', 'notification_template', 'evidence_type', 'artifact_type', 'policy',
                    'retention_class', 'runtime_backend'));
