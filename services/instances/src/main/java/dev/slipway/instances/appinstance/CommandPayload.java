package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.appinstance.domain.InstanceCommand;
import dev.slipway.instances.launch.PlacementJson;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.MemberOperation;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The payload of a command to a runtime adapter; which fields it has depends on the command. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CommandPayload(
        UUID orgId,
        UUID projectId,
        String appSlug,
        UUID appInstanceId,
        int generation,
        String runtimeBackend,
        String appVersion,
        String resourceName,
        UUID operatorServiceAccountId,
        @Nullable PlacementJson placementIntent,
        @JsonRawValue @Nullable String manifest,
        @JsonRawValue @Nullable String config,
        @Nullable String fromVersion,
        @Nullable List<CommandMember> members,
        @Nullable String operation,
        @Nullable CommandMember member,
        @Nullable CommandMember replacement,
        @Nullable Map<String, String> labels,
        UUID operationId,
        Instant deadlineAt,
        @JsonRawValue @Nullable String input,
        @Nullable UUID canceledCommandId) {

    /** A member in a command. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CommandMember(
            UUID memberId,
            String component,
            int generation,
            @Nullable String componentKey,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, String> labels,
            @Nullable Boolean cordoned) {
        static CommandMember of(Member member) {
            return new CommandMember(
                    member.id(),
                    member.component(),
                    member.generation(),
                    member.componentKey(),
                    member.labels(),
                    member.cordoned() ? true : null);
        }
    }

    static ObjectNode of(InstanceCommand command) {
        var i = command.instance();
        var deployment = command.deployment();
        var memberCall = command.memberCall();
        var appCall = command.appCall();
        var replacement = memberCall == null ? null : memberCall.replacement();
        return Json.toObject(new CommandPayload(
                i.orgId(),
                i.projectId(),
                i.app().slug(),
                i.id(),
                i.generation(),
                i.app().runtimeBackend(),
                deployment == null ? i.app().version() : deployment.appVersion(),
                i.resourceName(),
                i.operatorServiceAccountId(),
                deployment == null ? null : PlacementJson.of(i.placement()),
                deployment == null ? null : deployment.manifest(),
                deployment == null ? null : deployment.config(),
                deployment == null ? null : deployment.fromVersion(),
                deployment == null || deployment.members().isEmpty()
                        ? null
                        : deployment.members().stream().map(CommandMember::of).toList(),
                memberCall != null ? memberCall.operation().text() : appCall != null ? appCall.operation() : null,
                memberCall == null ? null : CommandMember.of(memberCall.member()),
                replacement == null ? null : CommandMember.of(replacement),
                memberCall != null && memberCall.operation() == MemberOperation.LABEL ? memberCall.labels() : null,
                command.operationId(),
                command.deadlineAt(),
                appCall == null ? null : appCall.input(),
                command.canceledCommandId()));
    }
}
