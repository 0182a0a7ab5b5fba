package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Command to switch a running instance to the task's version without downtime. Also used for rollbacks.
 *
 * @param fromVersion the current version, which keeps running if the command fails
 * @param members the members of the new version
 */
public record UpgradeCommand(
        Task task, String fromVersion, JsonNode manifest, JsonNode config, List<MemberRef> members) {
    public UpgradeCommand {
        members = List.copyOf(members);
    }
}
