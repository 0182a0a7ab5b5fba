-- The digest of the entries that the audit entry of the transaction contains; null for transactions that are older than this column.
ALTER TABLE ledger_transactions ADD COLUMN entries_digest text;
