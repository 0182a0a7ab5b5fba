package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Command to start an instance with a manifest and a configuration.
 *
 * @param members the members to start, with the ids to use in reports; empty if the manifest has no components
 */
public record DeployCommand(Task task, JsonNode manifest, JsonNode config, List<MemberRef> members) {
    public DeployCommand {
        members = List.copyOf(members);
    }
}
