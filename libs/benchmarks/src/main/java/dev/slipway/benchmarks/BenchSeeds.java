package dev.slipway.benchmarks;

import dev.slipway.authz.TokenSigner;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.contract.Json;
import dev.slipway.iam.IamSeed;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Seed data: many tenants with many projects each, all entitled to one app. Ids are fixed, so that every process knows them. */
final class BenchSeeds {
    static final int ORGANIZATIONS = 20;
    static final int PROJECTS = 1_000;
    static final UUID APP = id(1, 0);
    static final UUID VERSION = id(2, 0);
    static final String SLUG = "echo";
    static final String VERSION_NAME = "1.0.0";

    static final UUID ADAPTER = id(9, 0);
    static final String ADAPTER_SECRET = "the-secret-of-the-bench-adapter";

    private static final String ISSUER = "slipway-bench";
    private static final Duration LIFETIME = Duration.ofHours(12);

    private BenchSeeds() {}

    static UUID organization(int number) {
        return id(3, number % ORGANIZATIONS);
    }

    static UUID owner(int number) {
        return id(4, number % ORGANIZATIONS);
    }

    static UUID ownerOf(UUID organization) {
        return id(4, (int) (organization.getLeastSignificantBits() & 0xffff));
    }

    static UUID project(int number) {
        return id(5, number);
    }

    static UUID operator(int number) {
        return id(6, number);
    }

    static IamSeed iam(TokenSigner issuer) {
        var organizations = new ArrayList<IamSeed.Organization>();
        var users = new ArrayList<IamSeed.User>();
        var bindings = new ArrayList<IamSeed.RoleBinding>();
        for (var i = 0; i < ORGANIZATIONS; i++) {
            organizations.add(new IamSeed.Organization(organization(i), "bench-" + i, "Bench " + i));
            users.add(new IamSeed.User(owner(i), ISSUER, "owner-" + i, "Owner " + i));
            bindings.add(new IamSeed.RoleBinding(id(7, i), owner(i), "tenant_owner", organization(i), null));
        }
        var projects = new ArrayList<IamSeed.Project>();
        var accounts = new ArrayList<IamSeed.ServiceAccount>();
        for (var i = 0; i < PROJECTS; i++) {
            projects.add(new IamSeed.Project(project(i), organization(i), "p-" + i, "Project " + i, operator(i)));
            accounts.add(new IamSeed.ServiceAccount(
                    operator(i),
                    organization(i),
                    project(i),
                    "operator",
                    "Operator",
                    null,
                    null,
                    List.of("apps.instance.read", "apps.instance.report"),
                    owner(i)));
        }
        var key = new IamSeed.IssuerKey(
                issuer.kid(), ISSUER, issuer.publicJwk(), Instant.now().plus(LIFETIME));
        var adapter = new IamSeed.Adapter(ADAPTER, "bare_metal", "Adapter of the benchmark", ADAPTER_SECRET);
        return new IamSeed(organizations, users, projects, accounts, bindings, List.of(adapter), List.of(key));
    }

    static CatalogSeed catalog() {
        var entitlements = new ArrayList<CatalogSeed.Entitlement>();
        for (var i = 0; i < PROJECTS; i++) {
            entitlements.add(new CatalogSeed.Entitlement(id(8, i), organization(i), project(i), APP, SLUG));
        }
        return new CatalogSeed(
                List.of(
                        new CatalogSeed.App(
                                APP,
                                SLUG,
                                "Echo",
                                "examples",
                                "Slipway",
                                "apps",
                                VERSION,
                                VERSION_NAME,
                                "bare_metal",
                                "{\"app\":\"echo\",\"runtime\":{\"profile\":\"echo\"},\"deadlines\":{\"deploy_seconds\":3600}}")),
                entitlements);
    }

    static TokenSigner issuer() {
        return TokenSigner.withNewKey(ISSUER);
    }

    static List<String> tokens(TokenSigner issuer) {
        var now = Instant.now();
        var tokens = new ArrayList<String>();
        for (var i = 0; i < ORGANIZATIONS; i++) {
            tokens.add(issuer.sign("owner-" + i, now, now.plus(LIFETIME), Map.of()));
        }
        return tokens;
    }

    /** Returns the body of a launch: about 500 bytes with a dozen settings. */
    static String launch() {
        var body = Json.object()
                .put("app_slug", SLUG)
                .put("version", VERSION_NAME)
                .put("display_name", "An instance of the benchmark");
        var config = body.putObject("config");
        for (var i = 0; i < 12; i++) {
            config.put("setting_" + i, "a value of setting " + i);
        }
        return Json.text(body);
    }

    private static UUID id(int kind, int number) {
        return new UUID(0x0190_0000_0000_7000L | kind, 0x8000_0000_0000_0000L | number);
    }
}
