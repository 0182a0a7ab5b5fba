package dev.slipway.adapter;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.List;

/**
 * Have the instance run another version, the task's, and keep it running meanwhile. A rollback says the same of an earlier version.
 *
 * @param fromVersion what it runs now, and goes on running when this fails
 * @param members those to be
 */
public record UpgradeCommand(Task task, String fromVersion, JsonNode manifest, JsonNode config, List<Member> members) {
    public UpgradeCommand {
        members = List.copyOf(members);
    }
}
