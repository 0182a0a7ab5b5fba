package dev.slipway.catalog.artifact.domain;

import dev.slipway.catalog.artifact.domain.Artifact.Channel;
import dev.slipway.catalog.artifact.domain.Artifact.Trust;
import org.jspecify.annotations.Nullable;

/** A change of an artifact. */
public sealed interface ArtifactEvent {
    /** Returns the event type without its prefix. */
    String name();

    /** Returns the reason given for the change, or null. */
    default @Nullable String reason() {
        return null;
    }

    record Registered() implements ArtifactEvent {
        @Override
        public String name() {
            return "registered";
        }
    }

    record Verified(Trust from) implements ArtifactEvent {
        @Override
        public String name() {
            return "verified";
        }
    }

    record VerificationFailed(Trust from, String reason) implements ArtifactEvent {
        @Override
        public String name() {
            return "verification_failed";
        }
    }

    record Promoted(@Nullable Channel from, @Nullable String reason) implements ArtifactEvent {
        @Override
        public String name() {
            return "promoted";
        }
    }

    record MarkedDeprecated(String reason) implements ArtifactEvent {
        @Override
        public String name() {
            return "deprecated";
        }
    }

    record Retired(String reason) implements ArtifactEvent {
        @Override
        public String name() {
            return "retired";
        }
    }

    record Revoked(Trust from, String reason) implements ArtifactEvent {
        @Override
        public String name() {
            return "revoked";
        }
    }
}
