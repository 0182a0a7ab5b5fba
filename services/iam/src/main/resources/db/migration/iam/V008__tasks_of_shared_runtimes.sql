-- Adapters of this backend get tokens for their tasks on the shared runtime; with none, its own credential is its operator's only way in.
ALTER TABLE shared_runtime_operators ADD COLUMN runtime_backend text;
