package dev.slipway.iam.token;

import dev.slipway.iam.token.RuntimeTaskConsumer.InstanceRequested;
import dev.slipway.iam.token.domain.TaskTransition;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.sqlclient.Tuple;

import java.time.Instant;
import java.util.UUID;

/** The SQL of the read model of instances, shared runtimes and their commands to adapters. */
final class RuntimeTaskStore {
    private static final String INSERT_LAUNCH = """
            INSERT INTO instance_operators (app_instance_id, org_id, project_id, operator_service_account_id, runtime_backend, commands_known)
            VALUES ($1, $2, $3, $4, $5, true) ON CONFLICT DO NOTHING
            """;
    private static final String INSERT_TASK = """
            INSERT INTO runtime_tasks (command_id, subject_id, starts_generation, sequence) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """;
    private static final String MARK_COMMANDS_REPLICATED =
            "UPDATE instance_operators SET commands_known = true WHERE app_instance_id = $1 AND NOT commands_known";
    private static final String END = """
            UPDATE runtime_tasks SET ended_at = $3 WHERE command_id = $1 AND subject_id = $2 AND ended_at IS NULL
            """;
    /** The sequence protects a later command from an event that arrives again. */
    private static final String END_GENERATION = """
            UPDATE runtime_tasks SET ended_at = $3
            WHERE subject_id = $1 AND starts_generation AND sequence < $2 AND ended_at IS NULL
            """;

    private static final String END_ALL =
            "UPDATE runtime_tasks SET ended_at = $2 WHERE subject_id = $1 AND ended_at IS NULL";

    private RuntimeTaskStore() {}

    static void insertLaunch(UnitOfWork unit, InstanceRequested launch) {
        unit.write(
                INSERT_LAUNCH,
                Tuple.of(
                        launch.appInstanceId(),
                        launch.orgId(),
                        launch.projectId(),
                        launch.operatorServiceAccountId(),
                        launch.runtimeBackend()));
    }

    /** Applies a transition of the tasks of an instance or a shared runtime; {@code sequence} is that of its event. */
    static void apply(UnitOfWork unit, UUID subjectId, long sequence, TaskTransition transition, Instant at) {
        for (var task : transition.opened()) {
            unit.write(INSERT_TASK, Tuple.of(task.commandId(), subjectId, task.startsGeneration(), sequence));
        }
        if (transition.endsEarlierGenerations()) {
            unit.write(END_GENERATION, Tuple.of(subjectId, sequence, SqlTime.of(at)));
            unit.write(MARK_COMMANDS_REPLICATED, Tuple.of(subjectId));
        }
        for (var commandId : transition.ended()) {
            unit.write(END, Tuple.of(commandId, subjectId, SqlTime.of(at)));
        }
    }

    /** Ends all tasks of an instance or a shared runtime. */
    static void endAll(UnitOfWork unit, UUID subjectId, Instant at) {
        unit.write(END_ALL, Tuple.of(subjectId, SqlTime.of(at)));
    }
}
