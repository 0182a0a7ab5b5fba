package dev.slipway.referenceauthz;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A second, simple implementation of the authorization rules, which searches plain lists and shares no code with the real one. Ids and
 * verdicts are texts, times are numbers.
 */
public final class ReferenceAuthorizer {
    /** The lifecycle of each action. */
    public final Map<String, String> actions = new HashMap<>();

    public final Map<String, Role> roles = new HashMap<>();
    public final Set<String> deletedOrgs = new HashSet<>();
    public final Map<String, Project> projects = new HashMap<>();
    public final Map<String, Actor> actors = new HashMap<>();
    public final List<HeldRole> held = new ArrayList<>();
    public final Set<Membership> memberships = new HashSet<>();

    /** {@code org} is null for a built-in role. */
    public record Role(String level, String org, Set<String> actions) {}

    public record Project(String org, String state) {}

    /** {@code token} and {@code task} are null if the token is not limited. */
    public record Actor(
            String id,
            String type,
            String org,
            String project,
            String runtime,
            Set<String> list,
            Set<String> token,
            Set<String> task) {}

    /** {@code place} is null at the platform; {@code expires} is null for a permanent role. */
    public record HeldRole(String id, String who, String role, String level, String place, Long expires) {}

    public record Membership(String group, String user) {}

    /** {@code kind} is self, platform, anywhere, org, runtime or project. */
    public record DecisionQuery(
            Actor actor, String action, String kind, String org, String id, boolean glass, boolean removal, long now) {}

    public String decide(DecisionQuery q) {
        return q.actor.type.equals("user") ? asUser(q) : asMachine(q);
    }

    private String asUser(DecisionQuery q) {
        if (q.kind.equals("self") && !q.glass) {
            return q.actor.token == null || q.action.endsWith(".read") || q.actor.token.contains(q.action)
                    ? "ALLOWED"
                    : "OUT_OF_TOKEN_SCOPE";
        }
        if (q.glass || q.kind.equals("platform")) {
            var granting = current(q).filter(h -> h.level.equals("platform")).anyMatch(h -> grants(h, q.action));
            if (!live(q.action)) {
                return "UNKNOWN_ACTION";
            }
            if (!granting) {
                return "NOT_GRANTED";
            }
            return q.kind.equals("project") && !projects.containsKey(q.id) ? "NOT_BOUND" : afterGrant(q);
        }
        if (q.kind.equals("anywhere")) {
            if (!live(q.action)) {
                return "UNKNOWN_ACTION";
            }
            return current(q).anyMatch(h -> grants(h, q.action)) ? afterGrant(q) : "NOT_GRANTED";
        }
        var here = current(q).filter(h -> covers(h, q)).toList();
        if (here.isEmpty()) {
            var exists = !q.kind.equals("project") || projects.containsKey(q.id);
            return exists && current(q).anyMatch(h -> h.level.equals("platform"))
                    ? "BREAK_GLASS_REQUIRED"
                    : "NOT_BOUND";
        }
        if (!live(q.action)) {
            return "UNKNOWN_ACTION";
        }
        return here.stream().anyMatch(h -> grants(h, q.action)) ? afterGrant(q) : "NOT_GRANTED";
    }

    private String asMachine(DecisionQuery q) {
        var actor = q.actor;
        var adapter = actor.type.equals("adapter");
        if (q.glass || (!adapter && q.kind.equals("platform"))) {
            return live(q.action) ? "NOT_GRANTED" : "UNKNOWN_ACTION";
        }
        if (q.kind.equals("self")) {
            return "ALLOWED";
        }
        var account = actor.type.equals("service_account");
        var operator = actor.type.equals("shared_runtime_operator");
        var there = (adapter && q.kind.equals("platform"))
                || (!adapter && q.kind.equals("anywhere"))
                || (account && q.kind.equals("project") && actor.project.equals(q.id))
                || (operator && q.kind.equals("runtime") && actor.org.equals(q.org) && actor.runtime.equals(q.id));
        if (!there || (account && !projects.containsKey(actor.project))) {
            return "NOT_BOUND";
        }
        if (!live(q.action)) {
            return "UNKNOWN_ACTION";
        }
        var ceiling = roles.get(actor.type);
        if (ceiling == null || !ceiling.level.equals("machine") || !ceiling.actions.contains(q.action)) {
            return "NOT_GRANTED";
        }
        if (actor.task != null && !actor.task.contains(q.action)) {
            return "OTHER_TASK";
        }
        return actor.list.contains(q.action) ? afterGrant(q) : "NOT_ALLOWLISTED";
    }

    private String afterGrant(DecisionQuery q) {
        if (q.actor.token != null && !q.actor.token.contains(q.action)) {
            return "OUT_OF_TOKEN_SCOPE";
        }
        var survives = q.removal
                || q.action.equals("iam.project.resume")
                || List.of("read", "delete", "force_delete", "revoke", "report")
                        .contains(q.action.substring(q.action.lastIndexOf('.') + 1));
        return survives ? "ALLOWED" : verdictOfState(q);
    }

    private String verdictOfState(DecisionQuery q) {
        var machineAnywhere = q.kind.equals("anywhere") && !q.actor.type.equals("user");
        var projectId = machineAnywhere ? q.actor.project : q.kind.equals("project") ? q.id : null;
        if (projectId != null) {
            var project = projects.get(projectId);
            if (project.state.equals("deleted") || deletedOrgs.contains(project.org)) {
                return "RESOURCE_DELETED";
            }
            return project.state.equals("suspended") ? "PROJECT_SUSPENDED" : "ALLOWED";
        }
        var org = machineAnywhere ? q.actor.org : q.org;
        return org != null && deletedOrgs.contains(org) ? "RESOURCE_DELETED" : "ALLOWED";
    }

    private boolean live(String action) {
        return Set.of("active", "deprecated").contains(actions.getOrDefault(action, "none"));
    }

    private Stream<HeldRole> current(DecisionQuery q) {
        return held.stream()
                .filter(h -> h.who.equals(q.actor.id) || memberships.contains(new Membership(h.who, q.actor.id)))
                .filter(h -> h.expires == null || q.now < h.expires);
    }

    private boolean covers(HeldRole h, DecisionQuery q) {
        if (q.kind.equals("project")) {
            var project = projects.get(q.id);
            return project != null
                    && ((h.level.equals("project") && h.place.equals(q.id))
                            || (h.level.equals("organization") && h.place.equals(project.org)));
        }
        return h.level.equals("organization") && h.place.equals(q.org);
    }

    private boolean grants(HeldRole h, String action) {
        var role = roles.get(h.role);
        if (role == null || role.level.equals("machine") || !role.actions.contains(action)) {
            return false;
        }
        var atPlatform = h.level.equals("platform");
        if (role.level.equals("platform") != atPlatform) {
            return false;
        }
        if (role.org == null) {
            return true;
        }
        var project = h.level.equals("project") ? projects.get(h.place) : null;
        var org = h.level.equals("organization") ? h.place : project == null ? null : project.org;
        return !atPlatform && role.org.equals(org);
    }
}
