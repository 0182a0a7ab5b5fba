package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Make the instance run as the app version's manifest says, with this configuration.
 *
 * @param members those to be, by the ids that reports are to name them by; empty where the manifest has no components
 */
public record DeployCommand(Task task, JsonNode manifest, JsonNode config, List<Member> members) {
    public DeployCommand {
        members = List.copyOf(members);
    }
}
