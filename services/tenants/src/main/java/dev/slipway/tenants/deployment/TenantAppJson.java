package dev.slipway.tenants.deployment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.tenants.deployment.BundleJson.ContentBody;
import dev.slipway.tenants.deployment.TenantAppStore.InstalledApp;
import dev.slipway.tenants.deployment.domain.AppCompatibility.Requirements;
import dev.slipway.tenants.deployment.domain.Deployment;
import dev.slipway.tenants.deployment.domain.DeploymentStatus;
import dev.slipway.tenants.deployment.domain.TenantAppStatus;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The request and response bodies of installed apps. */
final class TenantAppJson {
    private TenantAppJson() {}

    /** The part of a manifest that is not deployed. It is stored as the metadata of the deployment. */
    record ManifestHead(
            String name,
            String version,
            @Nullable String label,
            @Nullable String description,
            @Nullable String minKernelVersion,
            @Nullable String maxKernelVersion,
            List<String> dependencies) {
        ManifestHead(
                String name,
                String version,
                @Nullable String label,
                @Nullable String description,
                @Nullable String minKernelVersion,
                @Nullable String maxKernelVersion,
                @Nullable List<String> dependencies) {
            this.name = name;
            this.version = version;
            this.label = label;
            this.description = description;
            this.minKernelVersion = minKernelVersion;
            this.maxKernelVersion = maxKernelVersion;
            this.dependencies = dependencies == null ? List.of() : List.copyOf(dependencies);
        }

        Requirements requirements() {
            return new Requirements(minKernelVersion, maxKernelVersion, dependencies);
        }
    }

    record InstallBody(
            String appSlug, ObjectNode manifest, @Nullable ObjectNode configOverrides, boolean skipSeedData) {}

    record UpgradeBody(ObjectNode manifest, boolean allowBreaking) {}

    /** Returns the content that a manifest deploys, without seed data if it is to be skipped. */
    static ContentBody content(ContentBody manifest, boolean skipSeedData) {
        return new ContentBody(
                manifest.objects(),
                manifest.views(),
                manifest.flows(),
                manifest.permissions(),
                skipSeedData ? List.of() : manifest.seedData());
    }

    record AppResponse(
            UUID appId,
            String name,
            String appSlug,
            String version,
            @Nullable String label,
            TenantAppStatus status,
            boolean success,
            List<String> installedObjects,
            List<String> createdTables,
            int seededRecords,
            @Nullable Long durationMs,
            @Nullable String error,
            UUID deploymentId,
            @Nullable Instant installedAt) {
        static AppResponse of(InstalledApp app) {
            var latest = app.latest();
            var effective = app.effective();
            var shown = effective == null ? latest : effective;
            return new AppResponse(
                    app.appId(),
                    app.name(),
                    app.appSlug(),
                    shown.version(),
                    app.label(),
                    TenantAppStatus.of(latest, effective),
                    latest.status() == DeploymentStatus.READY,
                    app.objects(),
                    latest.status() == DeploymentStatus.READY ? app.createdTables() : List.of(),
                    latest.seededRecords(),
                    durationMs(latest),
                    latest.error(),
                    latest.id(),
                    effective == null ? null : effective.completedAt());
        }

        private static @Nullable Long durationMs(Deployment deployment) {
            return deployment.startedAt() == null || deployment.completedAt() == null
                    ? null
                    : Duration.between(deployment.startedAt(), deployment.completedAt())
                            .toMillis();
        }
    }
}
