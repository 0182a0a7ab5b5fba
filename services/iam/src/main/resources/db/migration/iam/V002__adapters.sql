CREATE TABLE adapters (
    id              uuid PRIMARY KEY,
    runtime_backend text NOT NULL,
    display_name    text NOT NULL,
    secret_hash     bytea NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now()
);

-- Which identity speaks for an instance, kept from the instances' events: what an adapter's task token is bound to.
CREATE TABLE instance_operators (
    app_instance_id             uuid PRIMARY KEY,
    org_id                      uuid NOT NULL,
    project_id                  uuid NOT NULL,
    operator_service_account_id uuid NOT NULL,
    runtime_backend             text NOT NULL
);
