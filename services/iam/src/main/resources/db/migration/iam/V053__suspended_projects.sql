-- A suspended project keeps its data; only reads and removals are allowed in it until it is resumed.
ALTER TABLE projects ADD COLUMN suspended_at timestamptz;
