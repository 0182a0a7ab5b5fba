-- Finds the lines of an instance whose launch becomes known after its usage was rated.
CREATE INDEX ix_rated_lines_instance ON rated_lines (app_instance_id) WHERE app_instance_id IS NOT NULL;
