package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Creates the payloads of commands. */
final class CommandPayloads {
    private static final Duration TIME_ENOUGH = Duration.ofHours(1);

    private final ConformanceProfile profile;
    private final RunState state;

    CommandPayloads(ConformanceProfile profile, RunState state) {
        this.profile = profile;
        this.state = state;
    }

    /** Creates the common fields, with the current generation. */
    ObjectNode create(ScenarioInstance instance) {
        return create(instance, instance.generation());
    }

    /** Creates the common fields of a command that raises the generation. */
    ObjectNode createNext(ScenarioInstance instance) {
        return create(instance, instance.generation() + 1);
    }

    ObjectNode create(ScenarioInstance instance, int generation) {
        return Json.toObject(new CommandFields(
                instance.org(),
                instance.project(),
                profile.appSlug(),
                instance.id(),
                generation,
                profile.backend(),
                profile.base().version(),
                "slipway:local:" + instance.org() + ":" + instance.project() + ":app_instance:" + instance.id(),
                instance.operator(),
                Ids.next(),
                1,
                Instant.now().plus(TIME_ENOUGH)));
    }

    private record CommandFields(
            UUID orgId,
            UUID projectId,
            String appSlug,
            UUID appInstanceId,
            int generation,
            String runtimeBackend,
            String appVersion,
            String resourceName,
            UUID operatorServiceAccountId,
            UUID operationId,
            int attempt,
            Instant deadlineAt) {}

    /** Creates the payload of a deploy, an upgrade or a rollback. Issues a member if there is none. */
    ObjectNode deployment(ScenarioInstance instance, ConformanceProfile.App app) {
        var payload = createNext(instance).put("app_version", app.version());
        payload.set("manifest", app.manifest());
        payload.set("config", app.config());
        if (profile.claims().contains("members")) {
            var members = payload.putArray("members");
            state.read(() -> issuedMembers(instance)).forEach(member -> members.add(member.toJson()));
        }
        return payload;
    }

    /** Creates the payload of an upgrade or a rollback. */
    ObjectNode versionChange(ScenarioInstance instance, ConformanceProfile.App from, ConformanceProfile.App to) {
        return deployment(instance, to).put("from_version", from.version());
    }

    ObjectNode member(ScenarioInstance instance, String operation, ScenarioInstance.IssuedMember member) {
        var next = state.read(() -> {
            var current =
                    Objects.requireNonNull(instance.members().get(member.id())).afterCommand(operation);
            instance.members().put(current.id(), current);
            return current;
        });
        var payload = create(instance).put("operation", operation);
        payload.set("member", next.toJson());
        return payload;
    }

    ScenarioInstance.IssuedMember issueMember(ScenarioInstance instance) {
        var member = new ScenarioInstance.IssuedMember(
                Ids.next(), Objects.requireNonNull(profile.component()), 1, "ready", "pending");
        state.update(() -> instance.members().put(member.id(), member));
        return member;
    }

    private List<ScenarioInstance.IssuedMember> issuedMembers(ScenarioInstance instance) {
        if (instance.members().isEmpty()) {
            var ignored = issueMember(instance);
        }
        return instance.members().values().stream().filter(instance::isWanted).toList();
    }
}
