-- Whether the account may report on instances, which the operator account of an instance must.
ALTER TABLE service_accounts ADD COLUMN can_report boolean NOT NULL DEFAULT true;
