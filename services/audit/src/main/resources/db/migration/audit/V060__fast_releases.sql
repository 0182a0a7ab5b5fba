-- A fast candidate takes the evidence about its source revision from a full one that has passed. Like the other attributes, neither changes.
ALTER TABLE release_candidates
    ADD COLUMN promotion text NOT NULL DEFAULT 'full' CHECK (promotion IN ('full', 'fast')),
    ADD COLUMN validated_release_id uuid REFERENCES release_candidates,
    ADD CHECK ((promotion = 'fast') = (validated_release_id IS NOT NULL));
CREATE INDEX ix_release_candidates_validated ON release_candidates (validated_release_id) WHERE validated_release_id IS NOT NULL;
