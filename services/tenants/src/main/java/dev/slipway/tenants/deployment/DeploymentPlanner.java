package dev.slipway.tenants.deployment;

import dev.slipway.contract.CanonicalJson;
import dev.slipway.contract.Json;
import dev.slipway.tenants.deployment.DeployedMetadata.AppMetadata;
import dev.slipway.tenants.deployment.domain.BundleContent;
import dev.slipway.tenants.deployment.domain.DeployDiff;
import dev.slipway.tenants.deployment.domain.DiffCalculator;
import dev.slipway.tenants.deployment.domain.MetadataChange;
import dev.slipway.tenants.deployment.domain.MetadataChange.ChangeType;
import dev.slipway.tenants.deployment.domain.MetadataChange.EntityType;
import dev.slipway.tenants.deployment.domain.MigrationPlan;
import dev.slipway.tenants.deployment.domain.MigrationPlanner;
import dev.slipway.tenants.deployment.domain.MigrationStatement;
import dev.slipway.tenants.metadata.domain.ObjectDefinition;
import dev.slipway.tenants.tenant.domain.Tenant;
import io.vertx.core.Future;

import java.util.List;
import java.util.stream.Stream;

/** Plans a deployment from what is deployed, the bundle and the size of the tenant's tables. */
public final class DeploymentPlanner {
    private final MigrationExecutor executor;

    public DeploymentPlanner(MigrationExecutor executor) {
        this.executor = executor;
    }

    /** The differences, the plan, and what a rollback restores and does not restore. */
    record PlannedDeployment(
            DeployDiff diff, MigrationPlan plan, String hash, AppMetadata previous, List<String> unrestorable) {}

    Future<PlannedDeployment> plan(
            Tenant tenant, String appName, boolean keepTables, DeployedMetadata metadata, BundleContent bundle) {
        var previous = metadata.of(appName, bundle.objects());
        var deployed = DeployedMetadata.comparable(previous);
        return executor.countRecords(tenant, deployed.objects()).map(counts -> {
            var diff = DiffCalculator.diff(deployed, bundle);
            var wanted = keepTables ? withRemoved(deployed, bundle) : bundle.objects();
            var plan = tenant.hasTables()
                    ? MigrationPlanner.plan(deployed.objects(), wanted, MigrationExecutor.layout(tenant), counts)
                    : MigrationPlan.NONE;
            return new PlannedDeployment(diff, plan, hash(diff, plan), previous, unrestorable(diff, keepTables));
        });
    }

    /** The tables of removed objects stay as they are. */
    private static List<ObjectDefinition> withRemoved(BundleContent deployed, BundleContent bundle) {
        var kept = DeployedMetadata.names(bundle.objects());
        return Stream.concat(
                        bundle.objects().stream(),
                        deployed.objects().stream().filter(object -> !kept.contains(object.name())))
                .toList();
    }

    /** Returns the digest of the changes and the statements. The estimates are not part of it, because they change with every record. */
    private static String hash(DeployDiff diff, MigrationPlan plan) {
        var statements = plan.statements().stream().map(MigrationStatement::sql).toList();
        return CanonicalJson.digest(Json.toObject(new HashedPlan(diff.changes(), statements)));
    }

    private record HashedPlan(List<MetadataChange> changes, List<String> statements) {}

    private static List<String> unrestorable(DeployDiff diff, boolean keepTables) {
        return keepTables
                ? List.of()
                : diff.changes().stream()
                        .filter(change -> change.changeType() == ChangeType.REMOVED)
                        .filter(change ->
                                change.entityType() == EntityType.OBJECT || change.entityType() == EntityType.FIELD)
                        .map(DeploymentPlanner::path)
                        .toList();
    }

    private static String path(MetadataChange change) {
        return change.parentEntity() == null ? change.entityName() : change.parentEntity() + "." + change.entityName();
    }
}
