package dev.slipway.audit.evidence.domain;

/** The subjects of evidence. The gates say who decides; the families say which part of a release was checked. */
public enum GateFamily {
    SOURCE(true),
    CONTRACT(true),
    SCHEMA(true),
    ARTIFACTS(true),
    REGISTRIES(false),
    SECRETS(false),
    EDGE(false),
    RUNTIME_HEALTH(false);

    private final boolean revisionBound;

    GateFamily(boolean revisionBound) {
        this.revisionBound = revisionBound;
    }

    /** Returns whether evidence is about the source revision, so that it is the same in every environment. */
    public boolean isRevisionBound() {
        return revisionBound;
    }
}
