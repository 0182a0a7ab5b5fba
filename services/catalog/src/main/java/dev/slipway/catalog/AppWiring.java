package dev.slipway.catalog;

import dev.slipway.catalog.app.AppApi;
import dev.slipway.catalog.app.AppStore;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.app.manifest.ManifestRules;
import dev.slipway.catalog.app.manifest.ManifestValidator;
import dev.slipway.catalog.app.version.ReleaseApi;
import dev.slipway.catalog.app.version.VersionApi;
import dev.slipway.catalog.app.version.VersionSeeder;
import dev.slipway.catalog.app.version.VersionStore;
import dev.slipway.contract.ManifestSchema;
import dev.slipway.messaging.QueryExecutor;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Service;
import dev.slipway.service.ServiceContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Wires apps, versions and manifests. */
final class AppWiring {
    private final AppStore appStore;
    private final AppApi apps;
    private final VersionStore versionStore;
    private final VersionApi versions;
    private final ReleaseApi releases;

    AppWiring(
            Vertx vertx,
            ServiceContext serviceContext,
            Service service,
            RegistryWiring registries,
            PolicyWiring policies,
            ArtifactWiring artifacts,
            ReleaseGateWiring gates) {
        var mutations = service.mutations();
        appStore = new AppStore(service.reads());
        apps = new AppApi(appStore, registries::findActiveVersions, policies::findEligibility, mutations);
        versionStore = new VersionStore(service.reads());
        versions = new VersionApi(versionStore, policies::findEligibility);
        var manifests = new ManifestValidator(
                vertx,
                new ManifestRules(ManifestSchema.load()),
                registries::findActiveVersions,
                registries::findVersions,
                serviceContext.authz()::isUsableAction,
                artifacts::findTrust,
                versionStore::listPublishedNames);
        releases = new ReleaseApi(
                versionStore,
                manifests,
                mutations,
                QueryExecutor.of(service.reads()),
                policies::countInstances,
                gates::requirePassed);
    }

    Service serve(Service service) {
        return service.serve("listApps", apps::list)
                .serve("getApp", apps::get)
                .serve("createApp", apps::create)
                .serve("updateApp", apps::update)
                .serve("listAppVersions", versions::list)
                .serve("getAppVersion", versions::get)
                .serve("getLaunchSchema", versions::launchSchema)
                .serve("getManifestSchema", releases::manifestSchema)
                .serve("validateManifest", releases::validate)
                .serve("listVersionsForAdmin", releases::list)
                .serve("getVersionForAdmin", releases::get)
                .serve("registerAppVersion", releases::register)
                .serve("replaceDraftManifest", releases::replace)
                .serve("publishAppVersion", releases::publish)
                .serve("deprecateAppVersion", releases::deprecate)
                .serve("disableAppVersion", releases::disable)
                .serve("retireAppVersion", releases::retire);
    }

    Future<Void> ensureSeeds(UnitOfWork unit, CatalogSeed seed) {
        var chain = appStore.ensureSeeds(unit, seed).compose(ok -> versionStore.backfillDigests(unit));
        var versionSeeder = new VersionSeeder(versionStore);
        for (var app : seed.apps()) {
            chain = chain.compose(ok -> versionSeeder.ensureSeed(unit, app));
        }
        return chain;
    }
}
