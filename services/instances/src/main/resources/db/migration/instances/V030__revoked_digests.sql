-- The digests that nobody trusts any more, kept from the catalog: a version that names one starts no new instance.
CREATE TABLE revoked_digests (
    digest text PRIMARY KEY
);
