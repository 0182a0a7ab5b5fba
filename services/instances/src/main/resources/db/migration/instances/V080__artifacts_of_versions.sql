-- What a launch asks of a version's artifacts, without taking its manifest apart each time: what they are, and where they are pulled from.
ALTER TABLE app_versions ADD COLUMN artifact_digests text[] NOT NULL DEFAULT '{}', ADD COLUMN artifact_sources text[] NOT NULL DEFAULT '{}';
UPDATE app_versions SET artifact_digests = ARRAY(SELECT jsonb_path_query(manifest, '$.artifacts[*].digest') #>> '{}'),
    artifact_sources = ARRAY(SELECT jsonb_path_query(manifest, '$.artifacts[*].reference') #>> '{}');
