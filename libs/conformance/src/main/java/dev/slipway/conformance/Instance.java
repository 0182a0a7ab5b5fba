package dev.slipway.conformance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** An instance as the kit has it, each in a project and an organization of its own. Guarded by the {@link Ledger}. */
final class Instance {
    private static final Set<String> ENDING = Set.of("remove", "replace");

    private final String scenario;
    private final UUID id = Ids.next();
    private final UUID org = Ids.next();
    private final UUID project = Ids.next();
    private final UUID operator = Ids.next();
    private final List<Command> commands = new ArrayList<>();
    private final Map<UUID, Member> members = new LinkedHashMap<>();
    private final Set<String> urls = new LinkedHashSet<>();
    private final Map<String, Usage> usage = new LinkedHashMap<>();
    private int generation;
    private boolean deleted;
    private boolean forgotten;

    /** A member that the platform issued. */
    record Member(UUID id, String component, int generation) {
        ObjectNode json() {
            return Json.object()
                    .put("member_id", id.toString())
                    .put("component", component)
                    .put("generation", generation);
        }
    }

    /** What was used, as it was first reported under its id. */
    record Usage(String unit, String quantity, String from, String to) {}

    Instance(String scenario) {
        this.scenario = scenario;
    }

    String scenario() {
        return scenario;
    }

    UUID id() {
        return id;
    }

    UUID org() {
        return org;
    }

    UUID project() {
        return project;
    }

    UUID operator() {
        return operator;
    }

    List<Command> commands() {
        return commands;
    }

    Map<UUID, Member> members() {
        return members;
    }

    /** Every address that was reported for it. */
    Set<String> urls() {
        return urls;
    }

    Map<String, Usage> usage() {
        return usage;
    }

    int generation() {
        return generation;
    }

    void raise(int to) {
        generation = Math.max(generation, to);
    }

    boolean isDeleted() {
        return deleted;
    }

    void deleted() {
        deleted = true;
    }

    /** Whether the platform knows nothing of it any more. */
    boolean isForgotten() {
        return forgotten;
    }

    void forget() {
        forgotten = true;
    }

    /** Whether the member is to be there: nobody asked for its end. */
    boolean wants(Member member) {
        return commands.stream()
                .filter(command -> command.kind() == Kind.MEMBER)
                .filter(command -> ENDING.contains(command.field("operation").asText()))
                .noneMatch(command ->
                        command.field("member").path("member_id").asText().equals(member.id.toString()));
    }

    /** The last command that raised the generation. */
    @Nullable
    Command last() {
        return commands.stream()
                .filter(command -> command.kind().raisesGeneration() && command.generation() == generation)
                .reduce((first, second) -> second)
                .orElse(null);
    }
}
