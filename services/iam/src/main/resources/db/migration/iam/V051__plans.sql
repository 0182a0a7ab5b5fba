-- Read model of the plans that have a policy.
CREATE TABLE plans (
    plan text PRIMARY KEY
);
