package dev.slipway.standalone;

import dev.slipway.authz.TokenSigner;
import dev.slipway.authz.TokenVerifier;
import dev.slipway.catalog.app.CatalogSeed;
import dev.slipway.iam.IamSeed;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The demo data: two tenants, a user for every role, an app to launch, and a token issuer with a new key at each start. Ids are fixed, so
 * that requests written down earlier keep working.
 */
final class DemoData {
    static final UUID ORG = id(0x101);
    static final UUID PROJECT = id(0x102);
    /** A project of the same organization without role bindings: only organization roles apply to it. */
    static final UUID SIBLING_PROJECT = id(0x105);

    static final UUID OTHER_ORG = id(0x201);
    static final UUID OTHER_PROJECT = id(0x202);
    static final String APP = "echo";
    static final String CLUSTER_APP = "echo-cluster";
    static final String VERSION = "1.0.0";
    /** A version to upgrade to, with members and operations. */
    static final String NEXT_VERSION = "1.1.0";

    static final UUID ADAPTER = id(0x501);

    static final String ISSUER = IamSeed.DEMO_ISSUER;
    private static final Duration TOKEN_LIFETIME = Duration.ofHours(12);
    /** The name of the service account in tokens. */
    private static final String CI_ACCOUNT = "service_account";

    private static final List<String> CI_ACTIONS = List.of(
            "apps.instance.read", "apps.instance.create", "apps.instance.member.read", "apps.instance.member.operate");
    private static final UUID OPERATOR = id(0x103);
    private static final UUID SIBLING_OPERATOR = id(0x106);
    static final UUID OTHER_OPERATOR = id(0x203);
    static final UUID SERVICE_ACCOUNT = id(0x104);
    static final UUID ECHO = id(0x401);
    private static final UUID CLUSTER = id(0x407);

    /** A demo user, named after its role. */
    private record DemoUser(
            String name,
            UUID id,
            @Nullable UUID orgId,
            @Nullable UUID projectId,
            String role) {}

    private static final List<DemoUser> USERS = List.of(
            new DemoUser("platform_superadmin", id(0x301), null, null, "platform_superadmin"),
            new DemoUser("platform_ops", id(0x302), null, null, "platform_ops"),
            new DemoUser("tenant_owner", id(0x303), ORG, null, "tenant_owner"),
            new DemoUser("tenant_admin", id(0x304), ORG, null, "tenant_admin"),
            new DemoUser("project_owner", id(0x305), ORG, PROJECT, "project_owner"),
            new DemoUser("project_admin", id(0x306), ORG, PROJECT, "project_admin"),
            new DemoUser("project_member", id(0x307), ORG, PROJECT, "project_member"),
            new DemoUser("project_viewer", id(0x308), ORG, PROJECT, "project_viewer"),
            new DemoUser("other_tenant_owner", id(0x309), OTHER_ORG, null, "tenant_owner"));

    private final TokenSigner issuer;
    private final String adapterSecret;
    private final Instant now;

    DemoData(String adapterSecret, Instant now) {
        this(adapterSecret, now, TokenVerifier.AUDIENCE);
    }

    DemoData(String adapterSecret, Instant now, String audience) {
        this.issuer = TokenSigner.withNewKey(ISSUER, audience);
        this.adapterSecret = adapterSecret;
        this.now = now;
    }

    IamSeed iamSeed() {
        var users = new ArrayList<IamSeed.User>();
        var bindings = new ArrayList<IamSeed.RoleBinding>();
        for (var demoUser : USERS) {
            users.add(new IamSeed.User(demoUser.id, ISSUER, demoUser.name, "Demo " + demoUser.name.replace('_', ' ')));
            bindings.add(new IamSeed.RoleBinding(
                    id(0x1000 + demoUser.id.getLeastSignificantBits()),
                    demoUser.id,
                    demoUser.role,
                    demoUser.orgId,
                    demoUser.projectId));
        }
        return new IamSeed(
                List.of(
                        new IamSeed.Organization(ORG, "demo", "Demo tenant"),
                        new IamSeed.Organization(OTHER_ORG, "other", "Another tenant")),
                users,
                List.of(
                        new IamSeed.Project(PROJECT, ORG, "playground", "Playground", OPERATOR),
                        new IamSeed.Project(SIBLING_PROJECT, ORG, "workshop", "Workshop", SIBLING_OPERATOR),
                        new IamSeed.Project(OTHER_PROJECT, OTHER_ORG, "elsewhere", "Elsewhere", OTHER_OPERATOR)),
                List.of(
                        operatorAccount(OPERATOR, ORG, PROJECT, id(0x305)),
                        operatorAccount(SIBLING_OPERATOR, ORG, SIBLING_PROJECT, id(0x303)),
                        operatorAccount(OTHER_OPERATOR, OTHER_ORG, OTHER_PROJECT, id(0x309)),
                        new IamSeed.ServiceAccount(
                                SERVICE_ACCOUNT,
                                ORG,
                                PROJECT,
                                "ci",
                                "Demo CI account",
                                ISSUER,
                                CI_ACCOUNT,
                                CI_ACTIONS,
                                id(0x305))),
                bindings,
                List.of(new IamSeed.Adapter(ADAPTER, "bare_metal", "Process adapter", adapterSecret)),
                List.of(new IamSeed.IssuerKey(
                        issuer.kid(),
                        ISSUER,
                        issuer.publicJwk(),
                        now.plus(TOKEN_LIFETIME).plusSeconds(60))));
    }

    CatalogSeed catalogSeed() {
        return new CatalogSeed(
                List.of(
                        echoVersion(id(0x402), VERSION, manifest()),
                        echoVersion(id(0x406), NEXT_VERSION, nextManifest()),
                        new CatalogSeed.App(
                                CLUSTER,
                                CLUSTER_APP,
                                "Echo cluster",
                                "examples",
                                "Slipway",
                                "apps",
                                id(0x408),
                                VERSION,
                                "bare_metal",
                                clusterManifest())),
                List.of(
                        new CatalogSeed.Entitlement(id(0x403), ORG, PROJECT, ECHO, APP),
                        new CatalogSeed.Entitlement(id(0x405), ORG, SIBLING_PROJECT, ECHO, APP),
                        new CatalogSeed.Entitlement(id(0x409), ORG, PROJECT, CLUSTER, CLUSTER_APP),
                        new CatalogSeed.Entitlement(id(0x40a), ORG, SIBLING_PROJECT, CLUSTER, CLUSTER_APP),
                        new CatalogSeed.Entitlement(id(0x404), OTHER_ORG, OTHER_PROJECT, ECHO, APP)));
    }

    private static CatalogSeed.App echoVersion(UUID versionId, String version, String manifest) {
        return new CatalogSeed.App(
                ECHO, APP, "Echo", "examples", "Slipway", "apps", versionId, version, "bare_metal", manifest);
    }

    /** Returns a token for every demo user and for the service account. */
    Map<String, String> tokens() {
        var tokens = new LinkedHashMap<String, String>();
        USERS.forEach(demoUser -> tokens.put(demoUser.name, token(demoUser.name)));
        tokens.put(CI_ACCOUNT, token(CI_ACCOUNT));
        return tokens;
    }

    String token(String subject) {
        var claims =
                subject.equals(CI_ACCOUNT) ? Map.of("scope", String.join(" ", CI_ACTIONS)) : Map.<String, String>of();
        return issuer.sign(subject, now, now.plus(TOKEN_LIFETIME), claims);
    }

    private static IamSeed.ServiceAccount operatorAccount(UUID id, UUID orgId, UUID projectId, UUID createdBy) {
        return new IamSeed.ServiceAccount(
                id,
                orgId,
                projectId,
                "operator",
                "Operator of the project's instances",
                null,
                null,
                List.of("apps.instance.read", "apps.instance.report"),
                createdBy);
    }

    static String manifest() {
        return """
                {"app": "%s", "version": "%s", "runtime_backend": "bare_metal",
                 "summary": "Answers every request with what it was sent.",
                 "runtime": {"profile": "echo"},
                 "launch": {"schema": {"type": "object"}},
                 "components": [{"key": "server", "min": 1, "max": 1}],
                 "endpoints": [{"name": "http", "protocol": "http", "component": "server", "connect": "open"}],
                 "required_actions": ["apps.instance.report"],
                 "lifecycle": {"upgrade": {"strategy": "replace"}, "rollback": {"strategy": "redeploy"}, "delete": {"data": "none"}},
                 "deadlines": {"deploy_seconds": 300, "upgrade_seconds": 300, "rollback_seconds": 300, "delete_seconds": 300},
                 "failure_policy": "retain",
                 "usage_units": ["app_runtime_hour"],
                 "runbook": {"url": "https://slipway.dev/runbooks/echo", "triage": ["correlation_id", "timeline", "logs", "adapter"]}}
                """.formatted(APP, VERSION);
    }

    static String nextManifest() {
        return """
                {"app": "%s", "version": "%s", "runtime_backend": "bare_metal",
                 "summary": "Answers every request with what it was sent, by up to three members.",
                 "runtime": {"profile": "echo"},
                 "launch": {"schema": {"type": "object", "properties": {"message": {"type": "string", "maxLength": 200}}}},
                 "components": [{"key": "server", "min": 1, "max": 3, "default": 1}],
                 "endpoints": [{"name": "http", "protocol": "http", "component": "server", "connect": "open"}],
                 "required_actions": ["apps.instance.report"],
                 "operations": [
                   {"name": "echo.ping", "description": "Says a message back, and which member it was.",
                    "action": "apps.instance.read", "deadline_seconds": 300,
                    "input_schema": {"type": "object", "required": ["message"], "additionalProperties": false,
                      "properties": {"message": {"type": "string", "maxLength": 200}}},
                    "output_schema": {"type": "object", "required": ["message"],
                      "properties": {"message": {"type": "string"}, "member": {"type": "string"}}}},
                   {"name": "echo.wait", "description": "Waits for the given number of seconds, to try out slow operations.",
                    "action": "apps.instance.update", "deadline_seconds": 300,
                    "input_schema": {"type": "object", "required": ["seconds"], "additionalProperties": false,
                      "properties": {"seconds": {"type": "integer", "minimum": 0, "maximum": 600}}},
                    "output_schema": {"type": "object", "required": ["waited_seconds"],
                      "properties": {"waited_seconds": {"type": "integer"}}}}],
                 "lifecycle": {"upgrade": {"strategy": "replace"}, "rollback": {"strategy": "redeploy"}, "delete": {"data": "none"}},
                 "deadlines": {"deploy_seconds": 300, "upgrade_seconds": 300, "rollback_seconds": 300, "delete_seconds": 300,
                   "member_seconds": 300},
                 "failure_policy": "retain",
                 "usage_units": ["app_runtime_hour"],
                 "runbook": {"url": "https://slipway.dev/runbooks/echo", "triage": ["correlation_id", "timeline", "logs", "adapter"]}}
                """.formatted(APP, NEXT_VERSION);
    }

    /** An app that a tenant runs as a shared runtime: a controller, and workers that its projects contribute. */
    static String clusterManifest() {
        return """
                {"app": "%s", "version": "%s", "runtime_backend": "bare_metal",
                 "summary": "Passes jobs to workers, which answer with what they were sent.",
                 "runtime": {"profile": "echo-cluster"},
                 "launch": {"schema": {"type": "object"}},
                 "components": [{"key": "controller", "min": 1, "max": 1}, {"key": "worker", "min": 0, "max": 8, "default": 0}],
                 "endpoints": [{"name": "http", "protocol": "http", "component": "controller", "connect": "open"}],
                 "shared_runtime": {"supported": true, "worker_components": ["worker"], "project_operations": ["job.submit"]},
                 "required_actions": ["apps.instance.report"],
                 "operations": [
                   {"name": "job.submit", "description": "Has a worker say a message back, and which worker it was.",
                    "action": "apps.instance.update", "deadline_seconds": 300,
                    "input_schema": {"type": "object", "required": ["message"], "additionalProperties": false,
                      "properties": {"message": {"type": "string", "maxLength": 200}}},
                    "output_schema": {"type": "object", "required": ["message", "member"],
                      "properties": {"message": {"type": "string"}, "member": {"type": "string"}}}}],
                 "lifecycle": {"upgrade": {"strategy": "replace"}, "rollback": {"strategy": "redeploy"}, "delete": {"data": "none"}},
                 "deadlines": {"deploy_seconds": 300, "upgrade_seconds": 300, "rollback_seconds": 300, "delete_seconds": 300,
                   "member_seconds": 300},
                 "failure_policy": "retain",
                 "usage_units": ["app_runtime_hour"],
                 "runbook": {"url": "https://slipway.dev/runbooks/echo", "triage": ["correlation_id", "timeline", "logs", "adapter"]}}
                """.formatted(CLUSTER_APP, VERSION);
    }

    /** Returns a UUIDv7 with a timestamp in the past, so that it cannot collide with a generated one. */
    private static UUID id(long number) {
        return new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0000L | (number & 0xffff));
    }
}
