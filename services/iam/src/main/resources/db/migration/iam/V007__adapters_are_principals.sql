-- Who answers for an adapter; nobody for one that came with the platform.
ALTER TABLE adapters ADD COLUMN created_by_user_id uuid;
