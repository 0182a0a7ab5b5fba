-- Of the trace that the command is part of, for an adapter that takes it up from the desired state.
ALTER TABLE runtime_commands ADD COLUMN traceparent text;
