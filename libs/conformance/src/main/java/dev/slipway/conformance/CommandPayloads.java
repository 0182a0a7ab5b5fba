package dev.slipway.conformance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.conformance.ScenarioInstance.DesiredState;
import dev.slipway.conformance.ScenarioInstance.ObservedState;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

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
        var shared = instance.isShared();
        return Json.toObject(new CommandFields(
                instance.org(),
                shared ? null : instance.project(),
                profile.appSlug(),
                shared ? null : instance.id(),
                shared ? instance.id() : null,
                generation,
                profile.backend(),
                profile.base().version(),
                "slipway:local:" + instance.org() + ":"
                        + (shared ? "-:shared_runtime:" : instance.project() + ":app_instance:") + instance.id(),
                shared ? null : instance.operator(),
                shared ? instance.operator() : null,
                Ids.next(),
                1,
                Instant.now().plus(TIME_ENOUGH)));
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record CommandFields(
            UUID orgId,
            @Nullable UUID projectId,
            String appSlug,
            @Nullable UUID appInstanceId,
            @Nullable UUID sharedRuntimeId,
            int generation,
            String runtimeBackend,
            String appVersion,
            String resourceName,
            @Nullable UUID operatorServiceAccountId,
            @Nullable UUID operatorId,
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

    /** Creates the payload of the deploy of a shared runtime, with its controller and one attached project. */
    ObjectNode sharedDeployment(ScenarioInstance runtime, ConformanceProfile.SharedRuntime shared) {
        var payload = createNext(runtime).put("app_version", shared.app().version());
        payload.set("manifest", shared.app().manifest());
        payload.set("config", shared.app().config());
        payload.putArray("members")
                .add(issueMember(runtime, shared.controller(), null).toJson());
        return withAttachment(runtime, payload);
    }

    /** Adds the attached project. */
    ObjectNode withAttachment(ScenarioInstance runtime, ObjectNode payload) {
        var attachment = payload.putArray("attachments").addObject();
        attachment.put("attachment_id", runtime.attachment().toString());
        attachment.put("project_id", runtime.project().toString());
        attachment.putObject("contribution_policy").put("allowed", true);
        attachment.putObject("submission_policy").put("allowed", true);
        return payload;
    }

    /** Creates the payload of an operation that the attached project submits. */
    ObjectNode submission(ScenarioInstance runtime, ConformanceProfile.Operation operation) {
        var payload = create(runtime).put("operation", operation.name());
        payload.set("input", operation.input());
        payload.putObject("submitted_by")
                .put("project_id", runtime.project().toString())
                .put("attachment_id", runtime.attachment().toString())
                .put("principal_type", "user")
                .put("principal_id", Ids.next().toString());
        return withAttachment(runtime, payload);
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
        return issueMember(instance, Objects.requireNonNull(profile.component()), null);
    }

    /** Issues a worker that the attached project contributes. */
    ScenarioInstance.IssuedMember issueWorker(ScenarioInstance runtime, String component) {
        return issueMember(
                runtime,
                component,
                new ScenarioInstance.WorkerFields(
                        "project", runtime.project(), runtime.attachment(), "kit-allocation"));
    }

    ScenarioInstance.IssuedMember issueMember(
            ScenarioInstance instance, String component, ScenarioInstance.@Nullable WorkerFields worker) {
        var member = new ScenarioInstance.IssuedMember(
                Ids.next(), component, 1, DesiredState.READY, ObservedState.PENDING, worker);
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
