package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Command to start an instance with a manifest and a configuration.
 *
 * @param members the members to start, with the ids to use in reports; empty if the manifest has no components
 * @param attachments the attached projects of a shared runtime
 */
public record DeployCommand(
        Task task, JsonNode manifest, JsonNode config, List<MemberRef> members, List<AttachedProject> attachments) {
    public DeployCommand {
        members = List.copyOf(members);
        attachments = List.copyOf(attachments);
    }

    /** Creates a command for an instance, which has no attachments. */
    public DeployCommand(Task task, JsonNode manifest, JsonNode config, List<MemberRef> members) {
        this(task, manifest, config, members, List.of());
    }
}
