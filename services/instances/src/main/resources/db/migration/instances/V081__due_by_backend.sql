-- What is due is looked for by backend: what waits for an adapter that is away is passed over, however much it is.
DROP INDEX ix_runtime_commands_due;
CREATE INDEX ix_runtime_commands_due ON runtime_commands (runtime_backend, due_at) WHERE due_at IS NOT NULL;
