package dev.slipway.catalog;

import dev.slipway.catalog.app.AppApi;
import dev.slipway.catalog.app.AppStore;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.catalog.artifact.ArtifactTrust;
import dev.slipway.catalog.manifest.ManifestCheck;
import dev.slipway.catalog.manifest.ManifestRules;
import dev.slipway.catalog.registry.RegistryStore;
import dev.slipway.catalog.version.ReleaseApi;
import dev.slipway.catalog.version.VersionApi;
import dev.slipway.catalog.version.VersionStore;
import dev.slipway.contract.ManifestSchema;
import dev.slipway.messaging.Queries;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.service.Frame;
import dev.slipway.service.Service;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** Apps, versions and manifests: wiring only. */
final class AppWiring {
    private final AppStore appStore;
    private final AppApi apps;
    private final VersionStore versionStore;
    private final VersionApi versions;
    private final ReleaseApi releases;

    AppWiring(
            Vertx vertx,
            Frame frame,
            Service service,
            RegistryStore registries,
            PolicyWiring policies,
            ArtifactTrust trust) {
        var mutations = service.mutations();
        appStore = new AppStore(service.reads());
        apps = new AppApi(appStore, registries, policies.launchability(), mutations);
        versionStore = new VersionStore(service.reads());
        versions = new VersionApi(versionStore, policies.launchability());
        var manifests = new ManifestCheck(
                vertx,
                new ManifestRules(ManifestSchema.load()),
                registries,
                frame.authz()::knowsAction,
                trust::of,
                versionStore::published);
        releases = new ReleaseApi(
                versionStore, manifests, mutations, Queries.of(service.reads()), policies.instanceCounts());
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
        var chain = appStore.ensure(unit, seed).compose(ok -> versionStore.ensureDigests(unit));
        for (var app : seed.apps()) {
            chain = chain.compose(ok -> versionStore.seed(unit, app));
        }
        return chain;
    }
}
