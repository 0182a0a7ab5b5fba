package dev.slipway.authz;

import dev.slipway.authz.Decision.Verdict;
import dev.slipway.authz.Principal.ActorType;
import dev.slipway.authz.Principal.Task;
import dev.slipway.contract.Ids;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Two implementations of the same rules, written apart, over some thousand random worlds: they must agree on everything. */
class AuthorizerDifferentialTest {
    private static final int WORLDS = 3_000;
    private static final List<String> LEVELS = List.of("platform", "organization", "project");

    private record Held(UUID who, String role, String level, UUID where) {}

    private record Account(UUID id, UUID projectId, Set<String> list, Task task) {}

    /** What a world is made of, kept as plain lists: the naive decision searches them from front to end. */
    private static final class Facts {
        final Map<String, Set<String>> roles = new HashMap<>();
        final Set<String> machineRoles = new HashSet<>();
        final Map<UUID, UUID> orgOfProject = new HashMap<>();
        final List<UUID> users = new ArrayList<>();
        final List<Account> accounts = new ArrayList<>();
        final List<Held> bindings = new ArrayList<>();

        Verdict user(UUID who, String action, UUID projectId) {
            var org = orgOfProject.get(projectId);
            if (org == null) {
                return Verdict.NOT_BOUND;
            }
            var here = bindings.stream()
                    .filter(b -> b.who.equals(who))
                    .filter(b -> (b.level.equals("project") && b.where.equals(projectId))
                            || (b.level.equals("organization") && b.where.equals(org)))
                    .toList();
            if (here.stream().anyMatch(b -> roles.getOrDefault(b.role, Set.of()).contains(action))) {
                return Verdict.ALLOWED;
            }
            if (!here.isEmpty()) {
                return known(action) ? Verdict.NOT_GRANTED : Verdict.UNKNOWN_ACTION;
            }
            return bindings.stream().anyMatch(b -> b.who.equals(who) && b.level.equals("platform"))
                    ? Verdict.BREAK_GLASS_REQUIRED
                    : Verdict.NOT_BOUND;
        }

        Verdict machine(Account account, String action, UUID projectId) {
            if (!orgOfProject.containsKey(projectId) || !account.projectId.equals(projectId)) {
                return Verdict.NOT_BOUND;
            }
            if (machineRoles.stream().noneMatch(r -> roles.get(r).contains(action))) {
                return known(action) ? Verdict.NOT_GRANTED : Verdict.UNKNOWN_ACTION;
            }
            if (account.task != null) {
                return account.task.actions().contains(action) ? Verdict.ALLOWED : Verdict.OTHER_TASK;
            }
            return account.list.contains(action) ? Verdict.ALLOWED : Verdict.NOT_ALLOWLISTED;
        }

        private boolean known(String action) {
            return roles.values().stream().anyMatch(actions -> actions.contains(action));
        }
    }

    @Test
    void decisions_areThoseOfTheNaiveImplementation_inRandomWorlds() {
        var seed = new Random().nextLong();
        System.out.println("AuthorizerDifferentialTest: seed " + seed);
        var random = new Random(seed);
        var seen = new HashSet<Verdict>();
        for (var i = 0; i < WORLDS; i++) {
            compare(random, seen, "seed " + seed + ", world " + i);
        }
        assertThat(seen)
                .as("the worlds must be rich enough to show every verdict")
                .containsAll(Set.of(Verdict.values()));
    }

    private static void compare(Random random, Set<Verdict> seen, String where) {
        var world = new World();
        var facts = new Facts();
        var actions = IntStream.range(0, 5).mapToObj(i -> "a." + i).toList();
        var orgs = ids(2);
        var projects = ids(4);
        build(random, world, facts, actions, orgs, projects);
        var authorizer = new Authorizer(world.model);
        for (var projectId : projects) {
            for (var action : actions) {
                for (var user : facts.users) {
                    var principal = new Principal(user, ActorType.USER, "u", user, null, null, Set.of(), null, null);
                    var decision = authorizer.inProject(principal, action, projectId);
                    assertThat(decision.verdict())
                            .as("%s: user %s, %s in %s", where, user, action, projectId)
                            .isEqualTo(facts.user(user, action, projectId));
                    assertExplained(authorizer, principal, action, projectId, decision, where);
                    seen.add(decision.verdict());
                }
                for (var account : facts.accounts) {
                    var known = world.model.principal(account.id);
                    assertThat(known).isNotNull();
                    var decision = authorizer.inProject(known.bound(account.task), action, projectId);
                    assertThat(decision.verdict())
                            .as("%s: account %s, %s in %s", where, account, action, projectId)
                            .isEqualTo(facts.machine(account, action, projectId));
                    seen.add(decision.verdict());
                }
            }
        }
    }

    private static void assertExplained(
            Authorizer authorizer,
            Principal principal,
            String action,
            UUID projectId,
            Decision decision,
            String where) {
        var explanation = authorizer.explainInProject(principal, action, projectId);
        assertThat(explanation.decision()).as(where).isEqualTo(decision);
        assertThat(explanation.steps().stream().anyMatch(step -> step.applies() && step.grants()))
                .as("%s: %s", where, explanation.steps())
                .isEqualTo(decision.allowed());
    }

    private static void build(
            Random random, World world, Facts facts, List<String> actions, List<UUID> orgs, List<UUID> projects) {
        for (var i = 0; i < 3; i++) {
            var granted = some(random, actions.subList(0, 4)); // the last action is granted by no role
            var machine = i == 0;
            facts.roles.put("r" + i, granted);
            world.role("r" + i, machine ? "machine" : "project", granted);
            if (machine) {
                facts.machineRoles.add("r" + i);
            }
        }
        for (var project : projects.subList(0, 3)) { // the last project is unknown
            var org = orgs.get(random.nextInt(orgs.size()));
            facts.orgOfProject.put(project, org);
            world.project(project, org);
        }
        for (var i = 0; i < 3; i++) {
            var user = world.user("issuer", "s" + i);
            facts.users.add(user);
            for (var n = random.nextInt(4); n > 0; n--) {
                bind(random, world, facts, user, orgs, projects);
            }
        }
        for (var i = 0; i < 2; i++) {
            var project = projects.get(random.nextInt(3));
            var list = some(random, actions);
            var task =
                    random.nextInt(3) == 0 ? new Task(Ids.next(), Ids.next(), Ids.next(), some(random, actions)) : null;
            facts.accounts.add(new Account(world.serviceAccount(project, list), project, list, task));
        }
    }

    private static void bind(Random random, World world, Facts facts, UUID user, List<UUID> orgs, List<UUID> projects) {
        var role = "r" + (1 + random.nextInt(3)); // r3 does not exist
        var level = LEVELS.get(random.nextInt(3));
        var place =
                switch (level) {
                    case "platform" -> null;
                    case "organization" -> orgs.get(random.nextInt(orgs.size()));
                    default -> projects.get(random.nextInt(projects.size()));
                };
        var binding =
                switch (level) {
                    case "platform" -> world.bindPlatform(user, role);
                    case "organization" -> world.bindOrg(user, role, place);
                    default -> world.bindProject(user, role, place);
                };
        if (random.nextInt(5) == 0) {
            world.unbind(binding, user);
        } else {
            facts.bindings.add(new Held(user, role, level, place));
        }
    }

    private static Set<String> some(Random random, List<String> of) {
        var chosen = new HashSet<String>();
        of.forEach(one -> {
            if (random.nextBoolean()) {
                chosen.add(one);
            }
        });
        return chosen;
    }

    private static List<UUID> ids(int count) {
        return IntStream.range(0, count).mapToObj(i -> Ids.next()).toList();
    }
}
