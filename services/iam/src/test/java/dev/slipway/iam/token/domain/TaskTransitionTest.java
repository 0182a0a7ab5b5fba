package dev.slipway.iam.token.domain;

import dev.slipway.iam.token.domain.TaskTransition.OpenedTask;
import dev.slipway.iam.token.domain.TaskTransition.OperationState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class TaskTransitionTest {
    private static final UUID COMMAND = new UUID(0, 1);
    private static final UUID CANCEL = new UUID(0, 2);

    @Test
    void of_changesNothing_withoutCommand() {
        assertThat(transition("delete", "accepted", null, null))
                .isEqualTo(new TaskTransition(List.of(), false, List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"upgrade", "rollback", "delete"})
    void of_endsEarlierGenerations_whenCommandOfNextOneIsAccepted(String kind) {
        assertThat(transition(kind, "accepted", COMMAND, null))
                .isEqualTo(new TaskTransition(List.of(new OpenedTask(COMMAND, true)), true, List.of()));
    }

    @Test
    void of_opensTheFirstGeneration_whenCreationIsAccepted() {
        assertThat(transition("create", "accepted", COMMAND, null))
                .isEqualTo(new TaskTransition(List.of(new OpenedTask(COMMAND, true)), false, List.of()));
    }

    @Test
    void of_opensOtherCommand_withoutGeneration() {
        assertThat(transition("attach", "accepted", COMMAND, null))
                .isEqualTo(new TaskTransition(List.of(new OpenedTask(COMMAND, false)), false, List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"succeeded", "failed", "canceled"})
    void of_endsOtherCommand_whenItsOperationEnds(String status) {
        assertThat(transition("attach", status, COMMAND, null).ended()).containsExactly(COMMAND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "upgrade", "rollback"})
    void of_leavesCommandOfGenerationOpen_whenItsOperationEnds(String kind) {
        assertThat(transition(kind, "succeeded", COMMAND, null).ended()).isEmpty();
    }

    @Test
    void of_endsCommandOfDeletion_onlyWhenItSucceeded() {
        assertThat(transition("delete", "failed", COMMAND, null).ended()).isEmpty();
        assertThat(transition("delete", "succeeded", COMMAND, null).ended()).containsExactly(COMMAND);
    }

    @Test
    void of_opensCancelCommand_andEndsItWithTheOperation() {
        var running = transition("upgrade", "running", COMMAND, CANCEL);
        var ended = transition("upgrade", "canceled", COMMAND, CANCEL);

        assertThat(running).isEqualTo(new TaskTransition(List.of(new OpenedTask(CANCEL, false)), false, List.of()));
        assertThat(ended.ended()).containsExactly(CANCEL);
    }

    private static TaskTransition transition(
            String kind, String status, @Nullable UUID commandId, @Nullable UUID cancelCommandId) {
        return TaskTransition.of(new OperationState(kind, status, commandId, cancelCommandId));
    }
}
