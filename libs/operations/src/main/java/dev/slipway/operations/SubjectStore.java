package dev.slipway.operations;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.messaging.SqlTime;
import dev.slipway.messaging.UnitOfWork;
import dev.slipway.operations.domain.SubjectChange;
import dev.slipway.operations.domain.SubjectKind;
import dev.slipway.operations.domain.SubjectRef;
import dev.slipway.operations.domain.SubjectState;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import org.jspecify.annotations.Nullable;

/** The SQL that the subjects of all kinds share: of their state, and of what a change leads to in their operations and commands. */
public final class SubjectStore {
    private static final String UPDATE_STATE = """
            UPDATE {subjects} SET status = $3, runtime_state = $4::text::jsonb, failure_reason = $5, generation = $6, sequence = $7,
                updated_at = $8, deleted_at = $9
            WHERE id = $1 AND {owner} = $2
            """;

    private final SubjectTables tables;
    private final OperationStore operations;
    private final CommandStore commands;

    public SubjectStore(SubjectKind kind, OperationStore operations, CommandStore commands) {
        this.tables = new SubjectTables(kind);
        this.operations = operations;
        this.commands = commands;
    }

    public void updateState(UnitOfWork unit, SubjectRef subject, SubjectState state) {
        unit.write(tables.sql(UPDATE_STATE), Tuple.from(new @Nullable Object[] {
            subject.id(),
            subject.ownerId(),
            state.status().text(),
            state.runtimeState(),
            state.failureReason(),
            state.generation(),
            state.sequence(),
            SqlTime.of(state.updatedAt()),
            SqlTime.ofNullable(state.deletedAt())
        }));
    }

    /** Updates operations, and ends the commands of those that end. Call it before others are opened: a subject has one mutating operation. */
    public void updateOperations(UnitOfWork unit, SubjectChange change) {
        for (var update : change.operationUpdates()) {
            operations.update(unit, update.next());
            if (update.endsOperation()) {
                commands.endCommands(unit, update);
            }
        }
    }

    /** Opens operations, and resends or deletes commands. */
    public void openOperations(UnitOfWork unit, SubjectRef subject, SubjectChange change) {
        change.openedOperations().forEach(operation -> operations.insert(unit, operation));
        var resend = change.resendCommandId();
        if (resend != null) {
            commands.scheduleResend(unit, subject.id(), resend);
        }
        if (change.deletesCommands()) {
            commands.deleteAll(unit, subject.id());
        }
    }

    /** Reads the state from the row of a subject. */
    public static SubjectState readState(Row row) {
        return new SubjectState(
                TextEnum.parse(SubjectState.Status.class, row.getString("status")),
                row.getString("runtime_state"),
                row.getString("failure_reason"),
                row.getInteger("generation"),
                row.getLong("sequence"),
                SqlTime.read(row, "updated_at"),
                SqlTime.readNullable(row, "deleted_at"));
    }
}
