-- Two numbers tell whether what launches are decided by has changed: one of what is a project's own, one of what projects share. They are
-- raised in the transaction of the change, whoever makes it.
ALTER TABLE projects ADD COLUMN facts bigint NOT NULL DEFAULT 0;

CREATE TABLE known_facts (
    number bigint NOT NULL
);
INSERT INTO known_facts VALUES (0);

CREATE FUNCTION raise_facts_of_project() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE projects SET facts = facts + 1 WHERE id = NEW.project_id;
    RETURN NULL;
END $$;

CREATE FUNCTION raise_facts_of_all() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE known_facts SET number = number + 1;
    RETURN NULL;
END $$;

CREATE FUNCTION raise_own_facts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.facts := OLD.facts + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER raise_facts BEFORE UPDATE ON projects FOR EACH ROW EXECUTE FUNCTION raise_own_facts();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON service_accounts FOR EACH ROW EXECUTE FUNCTION raise_facts_of_project();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON project_app_entitlements FOR EACH ROW EXECUTE FUNCTION raise_facts_of_project();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON app_catalog FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON app_versions FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON policy_levels FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON policy_keys FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
CREATE TRIGGER raise_facts AFTER INSERT OR UPDATE ON revoked_digests FOR EACH ROW EXECUTE FUNCTION raise_facts_of_all();
