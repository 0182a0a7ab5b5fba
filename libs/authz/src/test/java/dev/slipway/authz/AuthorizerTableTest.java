package dev.slipway.authz;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.Ids;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** A small model and a table of decisions. A scope with an exclamation mark is accessed through its admin variant. */
class AuthorizerTableTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final UUID A = Ids.next();
    private static final UUID B = Ids.next();
    private static final UUID GONE = Ids.next();
    private static final UUID RUNTIME = Ids.next();
    private static final Map<String, UUID> PROJECTS = Map.of(
            "a1",
            Ids.next(),
            "a2",
            Ids.next(),
            "a3deleted",
            Ids.next(),
            "a4suspended",
            Ids.next(),
            "b1",
            Ids.next(),
            "g1",
            Ids.next());

    private final AuthzModelFixture fixture = AuthzModelFixture.withBuiltInRoles();
    private final Authorizer authorizer = new Authorizer(fixture.model);
    private final Map<String, Principal> people = new HashMap<>();

    AuthorizerTableTest() {
        fixture.organization(A, "active");
        fixture.organization(GONE, "deleted");
        fixture.project(project("a1"), A, "active");
        fixture.project(project("a2"), A);
        fixture.project(project("a3deleted"), A, "deleted");
        fixture.project(project("a4suspended"), A, "suspended");
        fixture.project(project("b1"), B);
        fixture.project(project("g1"), GONE);
        fixture.action("apps.version.retire", "retired");
        fixture.action("apps.version.disable", "draft");
        fixture.action("apps.version.deprecate", "deprecated");
        roles();
        users();
        machines();
    }

    private void roles() {
        fixture.role("deleter", "project", List.of("apps.instance.delete"), A, false);
        fixture.role("dropped", "project", List.of("apps.instance.read"), A, false);
        fixture.role("dropped", "project", List.of(), A, true);
        fixture.role("climber", "platform", List.of("registry.write"), A, false);
    }

    private void users() {
        fixture.bindProject(user("member"), "project_member", project("a1"));
        fixture.bind(user("lapsed"), "project_owner", "project", A, project("a1"), NOW);
        fixture.bind(user("lasting"), "project_owner", "project", A, project("a1"), NOW.plusMillis(1));
        fixture.bind(user("lapsed_admin"), "platform_ops", "platform", null, null, NOW);
        var group = Ids.next();
        fixture.bindProject(group, "project_admin", project("a1"));
        fixture.member(group, A, user("grouped"), false);
        fixture.member(group, A, user("left"), false);
        fixture.member(group, A, id("left"), true);
        fixture.bindProject(user("custom"), "deleter", project("a1"));
        fixture.bindProject(user("smuggled"), "deleter", project("b1"));
        fixture.bindPlatform(user("climbing"), "climber");
        fixture.bindPlatform(user("posing"), "deleter");
        fixture.bindProject(user("dropped"), "dropped", project("a1"));
        fixture.bindOrg(user("owner"), "tenant_owner", A);
        fixture.bindOrg(user("owner_of_gone"), "tenant_owner", GONE);
        fixture.bindPlatform(user("admin"), "platform_superadmin");
        fixture.bindOrg(user("misbound"), "platform_superadmin", A);
        fixture.bindPlatform(user("overbound"), "tenant_owner");
        fixture.bindProject(user("machinelike"), "service_account", project("a1"));
        people.put("reading_key", person("owner").withTokenActions(Set.of("apps.instance.read", "iam.api_key.read")));
        people.put("reading_admin", person("admin").withTokenActions(Set.of("apps.instance.read")));
    }

    private void machines() {
        var list = List.of("apps.instance.read", "apps.instance.report", "apps.shared_runtime.read");
        put("account", fixture.serviceAccount(project("a1"), list));
        put(
                "account_of_suspended",
                fixture.serviceAccount(
                        project("a4suspended"), List.of("apps.instance.create", "apps.instance.report")));
        put("account_of_deleted", fixture.serviceAccount(project("a3deleted"), list));
        put(
                "operator",
                fixture.operator(A, RUNTIME, List.of("apps.shared_runtime.read", "apps.shared_runtime.update")));
        put("operator_of_gone", fixture.operator(GONE, RUNTIME, List.of("apps.shared_runtime.worker.operate")));
        fixture.bindOrg(id("operator"), "tenant_owner", A);
        people.put("narrow_account", person("account").withTokenActions(Set.of("apps.instance.read")));
        var task = new Task(
                Ids.next(), Task.APP_INSTANCE, Ids.next(), Ids.next(), Set.of("apps.instance.report", "usage.read"));
        people.put("task", person("account").withTask(task));
        fixture.bindPlatform(id("account"), "platform_superadmin");
    }

    @ParameterizedTest
    @CsvSource({
        // Expiry
        "lapsed,           apps.instance.read,            project a1,        NOT_BOUND",
        "lasting,          apps.instance.read,            project a1,        ALLOWED",
        "lapsed_admin,     apps.instance.read,            project a1,        NOT_BOUND",
        "lapsed_admin,     apps.instance.read,            project! a1,       NOT_GRANTED",
        // Groups
        "grouped,          apps.instance.delete,          project a1,        ALLOWED",
        "grouped,          apps.instance.delete,          project a2,        NOT_BOUND",
        "left,             apps.instance.delete,          project a1,        NOT_BOUND",
        // Roles of organizations count only inside the organization
        "custom,           apps.instance.delete,          project a1,        ALLOWED",
        "custom,           apps.instance.read,            project a1,        NOT_GRANTED",
        "smuggled,         apps.instance.delete,          project b1,        NOT_GRANTED",
        "smuggled,         apps.instance.delete,          anywhere,          NOT_GRANTED",
        "posing,           apps.instance.delete,          platform,          NOT_GRANTED",
        "climbing,         registry.write,                platform,          NOT_GRANTED",
        "climbing,         registry.write,                project! a1,       NOT_GRANTED",
        "dropped,          apps.instance.read,            project a1,        NOT_GRANTED",
        // Actions that are not active
        "owner,            apps.version.retire,           project a1,        UNKNOWN_ACTION",
        "admin,            apps.version.retire,           platform,          UNKNOWN_ACTION",
        "admin,            apps.version.disable,          platform,          UNKNOWN_ACTION",
        "admin,            apps.version.deprecate,        platform,          ALLOWED",
        "admin,            apps.version.retire,           anywhere,          UNKNOWN_ACTION",
        "owner,            apps.version.retire,           project b1,        NOT_BOUND",
        // Deleted scopes allow reads, deletions and reports
        "owner,            apps.instance.create,          project a3deleted, RESOURCE_DELETED",
        "owner,            apps.instance.read,            project a3deleted, ALLOWED",
        "owner,            apps.instance.delete,          project a3deleted, ALLOWED",
        "member,           apps.instance.create,          project a3deleted, NOT_BOUND",
        "owner,            apps.instance.create,          project a4suspended, PROJECT_SUSPENDED",
        "owner,            iam.project.update,            project a4suspended, PROJECT_SUSPENDED",
        "owner,            iam.project.suspend,           project a4suspended, ALLOWED",
        "owner,            iam.project.resume,            project a4suspended, ALLOWED",
        "owner,            apps.instance.read,            project a4suspended, ALLOWED",
        "owner,            apps.instance.delete,          project a4suspended, ALLOWED",
        "owner,            iam.binding.write,             project- a4suspended, ALLOWED",
        "member,           apps.instance.create,          project a4suspended, NOT_BOUND",
        "account_of_suspended, apps.instance.create,      project a4suspended, PROJECT_SUSPENDED",
        "account_of_suspended, apps.instance.report,      project a4suspended, ALLOWED",
        "owner_of_gone,    apps.instance.create,          project g1,        RESOURCE_DELETED",
        "owner_of_gone,    iam.project.create,            org g,             RESOURCE_DELETED",
        "owner_of_gone,    iam.organization.read,         org g,             ALLOWED",
        "admin,            apps.instance.create,          project! a3deleted, RESOURCE_DELETED",
        "admin,            apps.instance.force_delete,    project! a3deleted, ALLOWED",
        "owner,            iam.binding.write,             project a3deleted, RESOURCE_DELETED",
        "owner,            iam.binding.write,             project- a3deleted, ALLOWED",
        "member,           iam.binding.write,             project- a3deleted, NOT_BOUND",
        "member,           iam.binding.write,             project- a1,       NOT_GRANTED",
        "owner,            iam.token.revoke,              project a3deleted, ALLOWED",
        "owner_of_gone,    iam.group.write,               org g,             RESOURCE_DELETED",
        "owner_of_gone,    iam.group.write,               org- g,            ALLOWED",
        "admin,            iam.binding.write,             project!- a3deleted, ALLOWED",
        "account_of_deleted, apps.instance.report,        project a3deleted, ALLOWED",
        // The platform: only platform roles count
        "owner,            iam.organization.read,         platform,          NOT_GRANTED",
        "admin,            iam.organization.read,         platform,          ALLOWED",
        "overbound,        iam.organization.read,         platform,          NOT_GRANTED",
        "misbound,         iam.organization.read,         platform,          NOT_GRANTED",
        "misbound,         iam.organization.read,         org a,             NOT_GRANTED",
        "account,          apps.instance.read,            platform,          NOT_GRANTED",
        // Admin variants: only platform roles of users count
        "admin,            apps.instance.read,            project a1,        BREAK_GLASS_REQUIRED",
        "admin,            apps.instance.read,            project! a1,       ALLOWED",
        "admin,            apps.instance.read,            project! none,     NOT_BOUND",
        "admin,            iam.project.create,            org! a,            ALLOWED",
        "admin,            apps.catalog.read,             anywhere!,         ALLOWED",
        "admin,            apps.instance.report,          project! a1,       NOT_GRANTED",
        "owner,            apps.instance.read,            project! a1,       NOT_GRANTED",
        "owner,            apps.instance.read,            project! none,     NOT_GRANTED",
        "overbound,        apps.instance.read,            project! a1,       NOT_GRANTED",
        "account,          apps.instance.read,            project! a1,       NOT_GRANTED",
        "reading_admin,    apps.instance.delete,          project! a1,       OUT_OF_TOKEN_SCOPE",
        // Tokens with a scope
        "reading_key,      apps.instance.read,            project a1,        ALLOWED",
        "reading_key,      apps.instance.create,          project a1,        OUT_OF_TOKEN_SCOPE",
        "reading_key,      apps.instance.create,          project b1,        NOT_BOUND",
        "reading_key,      apps.catalog.read,             anywhere,          OUT_OF_TOKEN_SCOPE",
        "reading_key,      iam.me.read,                   self,              ALLOWED",
        "reading_key,      iam.api_key.write,             self,              OUT_OF_TOKEN_SCOPE",
        "owner,            iam.api_key.write,             self,              ALLOWED",
        "narrow_account,   apps.instance.read,            project a1,        ALLOWED",
        "narrow_account,   apps.instance.report,          project a1,        OUT_OF_TOKEN_SCOPE",
        "task,             apps.instance.report,          project a1,        ALLOWED",
        "task,             apps.instance.read,            project a1,        OTHER_TASK",
        "task,             usage.read,                    project a1,        NOT_ALLOWLISTED",
        // Service accounts: their project, their role, their list
        "account,          apps.instance.read,            project a2,        NOT_BOUND",
        "account,          apps.shared_runtime.read,      project a1,        NOT_GRANTED",
        "account,          apps.shared_runtime.read,      runtime a,         NOT_BOUND",
        "account,          apps.instance.read,            org a,             NOT_BOUND",
        "account,          apps.instance.read,            anywhere,          ALLOWED",
        "machinelike,      apps.instance.read,            project a1,        NOT_GRANTED",
        // Shared-runtime operators: their runtime, their role, their list, and never a project
        "operator,         apps.shared_runtime.read,      runtime a,         ALLOWED",
        "operator,         apps.shared_runtime.read,      runtime b,         NOT_BOUND",
        "operator,         apps.shared_runtime.read,      runtime other,     NOT_BOUND",
        "operator,         apps.shared_runtime.read,      org a,             NOT_BOUND",
        "operator,         apps.shared_runtime.read,      project a1,        NOT_BOUND",
        "operator,         apps.shared_runtime.read,      anywhere,          ALLOWED",
        "operator,         apps.shared_runtime.update,    runtime a,         NOT_GRANTED",
        "operator,         apps.shared_runtime.worker.read, runtime a,       NOT_ALLOWLISTED",
        "operator_of_gone, apps.shared_runtime.worker.operate, runtime g,    RESOURCE_DELETED",
        "owner,            apps.shared_runtime.read,      runtime a,         ALLOWED",
        "member,           apps.shared_runtime.read,      runtime a,         NOT_BOUND",
        "admin,            apps.shared_runtime.read,      runtime a,         BREAK_GLASS_REQUIRED",
    })
    @Proves("1.76")
    void decide_followsTheTable(String who, String action, String where, Verdict expected) {
        var explanation = authorizer.explain(person(who), action, target(where), NOW);

        assertThat(authorizer.decide(person(who), action, target(where), NOW).verdict())
                .isEqualTo(expected);
        assertThat(explanation.decision().verdict())
                .as("%s", explanation.steps())
                .isEqualTo(expected);
    }

    private static ResourceScope target(String where) {
        var words = where.replaceAll("[!-]", "").split(" ", 2);
        var resourceScope =
                switch (words[0]) {
                    case "platform" -> ResourceScope.platform();
                    case "anywhere" -> ResourceScope.anywhere();
                    case "self" -> ResourceScope.self();
                    case "org" -> ResourceScope.organization(org(words[1]));
                    case "runtime" ->
                        words[1].equals("other")
                                ? ResourceScope.sharedRuntime(A, Ids.next())
                                : ResourceScope.sharedRuntime(org(words[1]), RUNTIME);
                    default -> ResourceScope.project(words[1].equals("none") ? Ids.next() : project(words[1]));
                };
        var reached = where.contains("!") ? resourceScope.withBreakGlass() : resourceScope;
        return where.contains("-") ? reached.withRemoval() : reached;
    }

    private static UUID org(String name) {
        return switch (name) {
            case "a" -> A;
            case "b" -> B;
            default -> GONE;
        };
    }

    private static UUID project(String name) {
        return requireNonNull(PROJECTS.get(name), name);
    }

    private UUID user(String name) {
        put(name, fixture.user("issuer", name));
        return id(name);
    }

    private void put(String name, UUID id) {
        people.put(name, requireNonNull(fixture.model.principal(id)));
    }

    private UUID id(String name) {
        return person(name).id();
    }

    private Principal person(String name) {
        return requireNonNull(people.get(name), name);
    }
}
