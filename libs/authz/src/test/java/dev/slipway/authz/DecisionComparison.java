package dev.slipway.authz;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Explanation.Outcome;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.Ids;
import dev.slipway.referenceauthz.ReferenceAuthorizer;
import dev.slipway.referenceauthz.ReferenceAuthorizer.Actor;
import dev.slipway.referenceauthz.ReferenceAuthorizer.DecisionQuery;
import dev.slipway.referenceauthz.ReferenceAuthorizer.HeldRole;
import dev.slipway.referenceauthz.ReferenceAuthorizer.Membership;
import dev.slipway.referenceauthz.ReferenceAuthorizer.Project;
import dev.slipway.referenceauthz.ReferenceAuthorizer.Role;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

/** Publishes random histories to both implementations and compares their decisions. */
final class DecisionComparison {
    private static final int QUESTIONS_PER_MODEL = 50;
    private static final int EVENTS_PER_MODEL = 40;
    private static final List<String> ACTIONS = List.of(
            "a.read", "a.create", "a.delete", "a.force_delete", "a.report", "a.revoke", "a.operate", "never.heard");
    private static final List<String> ORGS = List.of("o1", "o2");
    private static final List<String> PROJECTS = List.of("p1", "p2", "p3", "unknown");
    private static final List<String> RUNTIMES = List.of("r1", "r2");
    private static final List<String> USERS = List.of("u1", "u2", "u3");
    private static final List<String> GROUPS = List.of("g1", "g2");
    private static final List<String> ACCOUNTS = List.of("s1", "s2");
    private static final List<String> OPERATORS = List.of("m1", "m2");
    private static final List<String> ADAPTERS = List.of("a1");
    private static final List<String> MACHINES = List.of("service_account", "shared_runtime_operator", "adapter");
    private static final List<String> ROLES = List.of(
            "role1", "role2", "role3", "role4", "service_account", "shared_runtime_operator", "adapter", "nothing");

    private final Random random;
    private final AuthzModelFixture fixture = new AuthzModelFixture();
    private final ReferenceAuthorizer naive = new ReferenceAuthorizer();
    private final Authorizer authorizer = new Authorizer(fixture.model);
    private final Map<String, UUID> ids = new HashMap<>();
    private final List<String> history = new ArrayList<>();
    private int bindings;

    private DecisionComparison(Random random) {
        this.random = random;
    }

    /** Fails at the first difference, with the seed that reproduces it. */
    static void run(int questions) {
        var seed = Long.getLong("slipway.authz.seed", new Random().nextLong());
        System.out.println("differential test of decisions: " + questions + " questions, seed " + seed);
        var random = new Random(seed);
        var seen = EnumSet.noneOf(Verdict.class);
        for (var asked = 0; asked < questions; asked += QUESTIONS_PER_MODEL) {
            var pair = new DecisionComparison(random);
            pair.live();
            for (var i = 0; i < QUESTIONS_PER_MODEL; i++) {
                seen.add(pair.compare("-Dslipway.authz.seed=" + seed + ", question " + (asked + i)));
            }
        }
        assertThat(seen)
                .as("the models must be rich enough to show every verdict")
                .containsExactlyInAnyOrder(Verdict.values());
    }

    private Verdict compare(String where) {
        var decisionQuery = question();
        var principal = principal(decisionQuery.actor());
        var resourceScope = target(decisionQuery);
        var now = Instant.ofEpochSecond(decisionQuery.now());

        var decision = authorizer.decide(principal, decisionQuery.action(), resourceScope, now);
        var explanation = authorizer.explain(principal, decisionQuery.action(), resourceScope, now);

        if (!decision.verdict().name().equals(naive.decide(decisionQuery))
                || !decision.equals(explanation.decision())
                || !fits(decision, explanation)) {
            throw new AssertionError(where + ": " + decisionQuery + "\ndecided " + decision.verdict() + ", naively "
                    + naive.decide(decisionQuery) + ", explained " + explanation + "\n" + String.join("\n", history));
        }
        return decision.verdict();
    }

    /** Checks that the steps match the verdict: a binding that grants the action has a step, and no step denies it. */
    private static boolean fits(Decision decision, Explanation explanation) {
        var outcomes =
                explanation.steps().stream().map(Explanation.Step::outcome).toList();
        return decision.allowed()
                ? !outcomes.contains(Outcome.DENIES)
                        && (decision.grantedBy() == null || outcomes.contains(Outcome.GRANTS))
                : outcomes.contains(Outcome.DENIES)
                        || !outcomes.contains(Outcome.GRANTS)
                        || decision.verdict() == Verdict.NOT_BOUND;
    }

    private DecisionQuery question() {
        var actor = requireNonNull(naive.actors.get(one(List.of(USERS, USERS, ACCOUNTS, OPERATORS, ADAPTERS))));
        var token = random.nextInt(4) == 0 ? some(ACTIONS) : null;
        var task = actor.type().equals("service_account") && random.nextInt(4) == 0 ? some(ACTIONS) : null;
        var asking = new Actor(
                actor.id(), actor.type(), actor.org(), actor.project(), actor.runtime(), actor.list(), token, task);
        var kind = pick(List.of("self", "platform", "anywhere", "org", "runtime", "project", "project", "project"));
        var place =
                switch (kind) {
                    case "project" -> pick(PROJECTS);
                    case "runtime" -> pick(RUNTIMES);
                    default -> null;
                };
        var org = kind.equals("org") || kind.equals("runtime") ? pick(ORGS) : null;
        var glass = !kind.equals("self") && random.nextInt(4) == 0;
        return new DecisionQuery(
                asking, pick(ACTIONS), kind, org, place, glass, random.nextInt(4) == 0, random.nextInt(10));
    }

    private Principal principal(Actor actor) {
        var known = requireNonNull(fixture.model.principal(id(actor.id())));
        var task = actor.task();
        var bound = task == null
                ? known
                : known.withTask(new Task(Ids.next(), Task.APP_INSTANCE, Ids.next(), Ids.next(), task));
        return bound.withTokenActions(actor.token());
    }

    private ResourceScope target(DecisionQuery decisionQuery) {
        var resourceScope =
                switch (decisionQuery.kind()) {
                    case "self" -> ResourceScope.self();
                    case "platform" -> ResourceScope.platform();
                    case "anywhere" -> ResourceScope.anywhere();
                    case "org" -> ResourceScope.organization(id(decisionQuery.org()));
                    case "runtime" -> ResourceScope.sharedRuntime(id(decisionQuery.org()), id(decisionQuery.id()));
                    default -> ResourceScope.project(id(decisionQuery.id()));
                };
        var reached = decisionQuery.glass() ? resourceScope.withBreakGlass() : resourceScope;
        return decisionQuery.removal() ? reached.withRemoval() : reached;
    }

    private void live() {
        ACTIONS.subList(0, 7).forEach(action -> action(action, "active"));
        ROLES.forEach(name -> {
            if (!name.equals("nothing")) {
                role(name);
            }
        });
        PROJECTS.subList(0, 3).forEach(project -> project(project, pick(ORGS)));
        USERS.forEach(user -> actor(new Actor(user, "user", null, null, null, Set.of(), null, null)));
        ACCOUNTS.forEach(account ->
                actor(new Actor(account, "service_account", "o1", pick(PROJECTS), null, some(ACTIONS), null, null)));
        OPERATORS.forEach(operator -> actor(new Actor(
                operator, "shared_runtime_operator", pick(ORGS), null, pick(RUNTIMES), some(ACTIONS), null, null)));
        ADAPTERS.forEach(adapter -> actor(new Actor(adapter, "adapter", null, null, null, some(ACTIONS), null, null)));
        for (var i = random.nextInt(EVENTS_PER_MODEL); i > 0; i--) {
            event();
        }
    }

    private void event() {
        switch (random.nextInt(12)) {
            case 0 -> action(pick(ACTIONS.subList(0, 7)), pick(List.of("draft", "active", "deprecated", "retired")));
            case 1 -> role(pick(ROLES.subList(0, 7)));
            case 2 -> organization(pick(ORGS), random.nextInt(3) == 0);
            case 3 -> {
                var id = pick(PROJECTS.subList(0, 3));
                project(id, requireNonNull(naive.projects.get(id)).org());
            }
            case 4, 5 -> member(pick(GROUPS), pick(USERS), random.nextInt(3) == 0);
            case 6 -> unbind();
            default -> bind();
        }
    }

    private void action(String action, String lifecycle) {
        history.add("action " + action + " " + lifecycle);
        naive.actions.put(action, lifecycle);
        fixture.action(action, lifecycle);
    }

    private void role(String name) {
        var machine = MACHINES.contains(name);
        var level = machine ? "machine" : pick(List.of("platform", "organization", "project"));
        var org = machine || random.nextBoolean() ? null : pick(ORGS);
        var removed = random.nextInt(8) == 0;
        var actions = some(ACTIONS);
        history.add("role " + name + " " + level + " " + org + " " + actions + (removed ? " removed" : ""));
        if (removed) {
            naive.roles.remove(name);
        } else {
            naive.roles.put(name, new Role(level, org, actions));
        }
        fixture.role(name, level, actions, org == null ? null : id(org), removed);
    }

    private void organization(String org, boolean deleted) {
        history.add("organization " + org + " deleted: " + deleted);
        if (deleted) {
            naive.deletedOrgs.add(org);
        } else {
            naive.deletedOrgs.remove(org);
        }
        fixture.organization(id(org), deleted ? "deleted" : "active");
    }

    private void project(String project, String org) {
        var state =
                List.of("active", "active", "active", "suspended", "deleted").get(random.nextInt(5));
        history.add("project " + project + " of " + org + ": " + state);
        naive.projects.put(project, new Project(org, state));
        fixture.project(id(project), id(org), state);
    }

    private void actor(Actor actor) {
        history.add(actor.toString());
        naive.actors.put(actor.id(), actor);
        switch (actor.type()) {
            case "user" -> ids.put(actor.id(), fixture.user("issuer", actor.id()));
            case "service_account" -> ids.put(actor.id(), fixture.serviceAccount(id(actor.project()), actor.list()));
            case "adapter" -> ids.put(actor.id(), fixture.adapter(actor.list()));
            default -> ids.put(actor.id(), fixture.operator(id(actor.org()), id(actor.runtime()), actor.list()));
        }
    }

    private void member(String group, String user, boolean removed) {
        history.add("member " + user + " of " + group + " removed: " + removed);
        if (removed) {
            naive.memberships.remove(new Membership(group, user));
        } else {
            naive.memberships.add(new Membership(group, user));
        }
        fixture.member(id(group), id("o1"), id(user), removed);
    }

    private void bind() {
        // Sometimes an existing one, with another role, scope or expiry.
        var again = !naive.held.isEmpty() && random.nextInt(6) == 0 ? pick(naive.held) : null;
        var who = again == null ? one(List.of(USERS, USERS, GROUPS, ACCOUNTS, OPERATORS)) : again.who();
        var level = pick(List.of("platform", "organization", "project", "project"));
        var place =
                switch (level) {
                    case "platform" -> null;
                    case "organization" -> pick(ORGS);
                    default -> pick(PROJECTS);
                };
        var expires = random.nextBoolean() ? null : (long) random.nextInt(10);
        var id = again == null ? "b" + bindings++ : again.id();
        var heldRole = new HeldRole(id, who, pick(ROLES), level, place, expires);
        history.add(heldRole.toString());
        naive.held.removeIf(h -> h.id().equals(id));
        naive.held.add(heldRole);
        fixture.bind(
                id(id),
                id(who),
                heldRole.role(),
                level,
                level.equals("organization") ? id(place) : null,
                level.equals("project") ? id(place) : null,
                expires == null ? null : Instant.ofEpochSecond(expires),
                false);
    }

    private void unbind() {
        if (!naive.held.isEmpty()) {
            var heldRole = pick(naive.held);
            history.add("removed " + heldRole.id());
            naive.held.remove(heldRole);
            fixture.unbind(id(heldRole.id()), id(heldRole.who()));
        }
    }

    private UUID id(String name) {
        return ids.computeIfAbsent(name, ignored -> Ids.next());
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private String one(List<List<String>> kinds) {
        return pick(pick(kinds));
    }

    private Set<String> some(List<String> of) {
        var chosen = new HashSet<String>();
        of.forEach(each -> {
            if (random.nextBoolean()) {
                chosen.add(each);
            }
        });
        return chosen;
    }
}
