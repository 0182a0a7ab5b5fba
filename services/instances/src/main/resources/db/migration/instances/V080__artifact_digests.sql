-- What a launch asks of a version's artifacts, without taking its manifest apart each time.
ALTER TABLE app_versions ADD COLUMN artifact_digests text[] NOT NULL DEFAULT '{}';
UPDATE app_versions SET artifact_digests = ARRAY(SELECT jsonb_path_query(manifest, '$.artifacts[*].digest') #>> '{}');
