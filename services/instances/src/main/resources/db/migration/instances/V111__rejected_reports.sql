-- Rejected adapter reports of the last 30 days. Org and project are those of the instance or shared runtime, not those that the report claims.
CREATE TABLE rejected_reports (
    id                uuid PRIMARY KEY,
    rejected_at       timestamptz NOT NULL,
    report_event_id   uuid NOT NULL,
    report_event_type text NOT NULL,
    code              text NOT NULL,
    reason            text NOT NULL,
    correlation_id    text NOT NULL,
    adapter_id        uuid,
    org_id            uuid,
    project_id        uuid,
    runtime_backend   text,
    subject_kind      text NOT NULL,
    subject_id        uuid,
    command_id        uuid
);
CREATE INDEX ix_rejected_reports_project ON rejected_reports (project_id, rejected_at DESC, id DESC);
CREATE INDEX ix_rejected_reports_adapter ON rejected_reports (adapter_id, rejected_at DESC, id DESC);
CREATE INDEX ix_rejected_reports_time ON rejected_reports (rejected_at DESC, id DESC);
CREATE INDEX ix_rejected_reports_command ON rejected_reports (subject_id, command_id);
