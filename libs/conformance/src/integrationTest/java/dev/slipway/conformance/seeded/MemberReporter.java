package dev.slipway.conformance.seeded;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.seeded.ClusterClient.Workload;
import dev.slipway.contract.Envelope;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;

import java.util.ArrayList;
import java.util.List;

/** Reports the states of members. */
final class MemberReporter {
    private final SeededBug bug;
    private final SeededPlatformClient platform;

    MemberReporter(SeededBug bug, SeededPlatformClient platform) {
        this.bug = bug;
        this.platform = platform;
    }

    void report(Envelope command, List<Workload> of, String state) throws Exception {
        var detail = Json.object();
        var members = detail.putArray("members");
        for (var workload : of) {
            var id = workload.key().substring(workload.key().indexOf('.') + 1);
            if (!id.equals("main")) {
                members.addObject()
                        .put("member_id", id)
                        .put("generation", memberGeneration(command, id))
                        .put("state", state)
                        .put("component_key", workload.id());
            }
        }
        if (bug == SeededBug.MEMBERS_BEYOND_BOUNDS) {
            members.addObject()
                    .put("member_id", Ids.next().toString())
                    .put("generation", 1)
                    .put("state", state);
        }
        if (!members.isEmpty()) {
            platform.report(command, "members", false, detail);
        }
    }

    /** Returns the generation in which the command issues a member. */
    private int memberGeneration(Envelope command, String id) {
        var payload = command.payload();
        var issued = new ArrayList<JsonNode>(List.of(payload.path("member"), payload.path("replacement")));
        payload.path("members").forEach(issued::add);
        return bug == SeededBug.OLD_MEMBER_GENERATION
                ? 1
                : issued.stream()
                        .filter(member -> member.path("member_id").asText().equals(id))
                        .mapToInt(member -> member.path("generation").asInt())
                        .findFirst()
                        .orElse(1);
    }
}
