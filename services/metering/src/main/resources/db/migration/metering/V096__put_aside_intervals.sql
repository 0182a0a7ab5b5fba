-- An interval whose hours cannot be counted is not tried again before this time, so that it does not delay the others.
ALTER TABLE running_intervals ADD COLUMN emit_after timestamptz;
ALTER TABLE runtime_intervals ADD COLUMN emit_after timestamptz;
