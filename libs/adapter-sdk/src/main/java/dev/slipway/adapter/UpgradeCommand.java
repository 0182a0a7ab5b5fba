package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Command to switch a running instance to the task's version without downtime. Also used for rollbacks.
 *
 * @param fromVersion the current version, which keeps running if the command fails
 * @param members the members of the new version
 * @param attachments the attached projects of a shared runtime
 */
public record UpgradeCommand(
        Task task,
        String fromVersion,
        JsonNode manifest,
        JsonNode config,
        List<MemberRef> members,
        List<AttachedProject> attachments) {
    public UpgradeCommand {
        members = List.copyOf(members);
        attachments = List.copyOf(attachments);
    }

    /** Creates a command for an instance, which has no attachments. */
    public UpgradeCommand(Task task, String fromVersion, JsonNode manifest, JsonNode config, List<MemberRef> members) {
        this(task, fromVersion, manifest, config, members, List.of());
    }
}
