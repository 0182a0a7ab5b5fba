package dev.slipway.conformance;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Ids;
import dev.slipway.contract.Json;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** An instance or a shared runtime created by the kit, in its own organization. Guarded by the {@link RunState}. */
final class ScenarioInstance {
    private static final Set<String> REMOVING_OPERATIONS = Set.of("remove", "replace");

    private final String scenario;
    private final boolean shared;
    private final UUID attachment = Ids.next();
    private final UUID id = Ids.next();
    private final UUID org = Ids.next();
    private final UUID project = Ids.next();
    private final UUID operator = Ids.next();
    private final List<SentCommand> commands = new ArrayList<>();
    private final Map<UUID, IssuedMember> members = new LinkedHashMap<>();
    private final Set<String> urls = new LinkedHashSet<>();
    private final Map<String, ReportedUsage> usage = new LinkedHashMap<>();
    private int generation;
    private boolean deleted;
    private boolean forgotten;

    /** The states that commands lead a member to. */
    enum DesiredState implements TextEnum {
        READY,
        DRAINED,
        REMOVED
    }

    /** The states of members that adapters report; a new one is pending. */
    enum ObservedState implements TextEnum {
        PENDING,
        JOINING,
        READY,
        DRAINING,
        REMOVED,
        FAILED
    }

    /** A member with the state that the platform would have stored. */
    record IssuedMember(
            @JsonProperty("member_id") UUID id,
            String component,
            int generation,
            @JsonIgnore DesiredState desired,
            @JsonIgnore ObservedState observed,
            @JsonUnwrapped @Nullable WorkerFields worker) {
        ObjectNode toJson() {
            return Json.toObject(this);
        }

        /** Returns the member after a command: one that changes the desired state starts a generation. */
        IssuedMember afterCommand(String operation) {
            return switch (operation) {
                case "drain" -> withDesired(DesiredState.DRAINED);
                case "remove", "replace" -> withDesired(DesiredState.REMOVED);
                default -> this;
            };
        }

        private IssuedMember withDesired(DesiredState state) {
            return new IssuedMember(id, component, generation + 1, state, observed, worker);
        }

        IssuedMember withObserved(ObservedState state) {
            return new IssuedMember(id, component, generation, desired, state, worker);
        }

        /** Returns whether the platform accepts a report of this state. */
        boolean canBecome(ObservedState state) {
            if (observed == state) {
                return true;
            }
            return observed != ObservedState.REMOVED
                    && switch (state) {
                        case PENDING -> false;
                        case JOINING -> observed == ObservedState.PENDING || observed == ObservedState.FAILED;
                        case READY -> observed != ObservedState.DRAINING || desired == DesiredState.READY;
                        case DRAINING -> desired != DesiredState.READY;
                        case REMOVED -> desired == DesiredState.REMOVED;
                        case FAILED -> true;
                    };
        }
    }

    /** The fields of a worker that a project contributes. */
    record WorkerFields(String source, UUID sourceProjectId, UUID attachmentId, String allocationRef) {}

    /** Usage as first reported under its id. */
    record ReportedUsage(String unit, String quantity, String from, String to) {}

    ScenarioInstance(String scenario, boolean shared) {
        this.scenario = scenario;
        this.shared = shared;
    }

    /** Returns whether it is a shared runtime; its project is then the one that is attached to it. */
    boolean isShared() {
        return shared;
    }

    UUID attachment() {
        return attachment;
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

    List<SentCommand> commands() {
        return commands;
    }

    Map<UUID, IssuedMember> members() {
        return members;
    }

    /** All addresses reported for the instance. */
    Set<String> urls() {
        return urls;
    }

    Map<String, ReportedUsage> usage() {
        return usage;
    }

    int generation() {
        return generation;
    }

    void raiseGeneration(int to) {
        generation = Math.max(generation, to);
    }

    boolean isDeleted() {
        return deleted;
    }

    void markDeleted() {
        deleted = true;
    }

    /** Returns whether the platform no longer knows the instance. */
    boolean isForgotten() {
        return forgotten;
    }

    void markForgotten() {
        forgotten = true;
    }

    /** Returns whether no command has removed the member. */
    boolean isWanted(IssuedMember member) {
        return commands.stream()
                .filter(command -> command.kind() == CommandKind.MEMBER)
                .filter(command ->
                        REMOVING_OPERATIONS.contains(command.field("operation").asText()))
                .noneMatch(command ->
                        command.field("member").path("member_id").asText().equals(member.id.toString()));
    }

    /** Returns the last command that raised the generation. */
    @Nullable
    SentCommand lastGenerationCommand() {
        return commands.stream()
                .filter(command -> command.kind().raisesGeneration() && command.generation() == generation)
                .reduce((first, second) -> second)
                .orElse(null);
    }
}
