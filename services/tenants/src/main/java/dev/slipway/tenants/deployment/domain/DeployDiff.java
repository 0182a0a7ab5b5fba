package dev.slipway.tenants.deployment.domain;

import dev.slipway.tenants.deployment.domain.MetadataChange.ChangeType;

import java.util.List;

/** The differences between what is deployed and a bundle. */
public record DeployDiff(List<MetadataChange> changes, Summary summary, boolean hasBreakingChanges) {
    /** The number of changes by type. */
    public record Summary(int added, int modified, int removed) {}

    static DeployDiff of(List<MetadataChange> changes) {
        return new DeployDiff(
                List.copyOf(changes),
                new Summary(
                        count(changes, ChangeType.ADDED),
                        count(changes, ChangeType.MODIFIED),
                        count(changes, ChangeType.REMOVED)),
                changes.stream().anyMatch(MetadataChange::breaking));
    }

    private static int count(List<MetadataChange> changes, ChangeType type) {
        return (int)
                changes.stream().filter(change -> change.changeType() == type).count();
    }
}
