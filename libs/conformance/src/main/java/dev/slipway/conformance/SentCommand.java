package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A command sent by the kit, with the reports on it. Guarded by the {@link RunState}. */
final class SentCommand {
    private final CommandKind kind;
    private final ScenarioInstance instance;
    private final Envelope event;
    private final List<ReceivedReport> reports = new ArrayList<>();
    private @Nullable ReceivedReport finalReport;
    private int percent;

    SentCommand(CommandKind kind, ScenarioInstance instance, Envelope event) {
        this.kind = kind;
        this.instance = instance;
        this.event = event;
    }

    CommandKind kind() {
        return kind;
    }

    ScenarioInstance instance() {
        return instance;
    }

    Envelope event() {
        return event;
    }

    UUID id() {
        return event.eventId();
    }

    int generation() {
        return event.payload().path("generation").asInt();
    }

    /** Returns the id of the instance or shared runtime that a payload is about. */
    static String subjectId(JsonNode payload) {
        return payload.path("app_instance_id")
                .asText(payload.path("shared_runtime_id").asText());
    }

    JsonNode field(String name) {
        return event.payload().path(name);
    }

    List<ReceivedReport> reports() {
        return reports;
    }

    @Nullable
    ReceivedReport finalReport() {
        return finalReport;
    }

    boolean isFinished() {
        return finalReport != null;
    }

    /** Returns whether the desired state lists the command as open. A command that raises the generation is open until its first report. */
    boolean isOpen() {
        return kind.raisesGeneration() ? reports.isEmpty() : !isFinished();
    }

    void finalReport(ReceivedReport report) {
        finalReport = report;
    }

    /** Returns false if the percentage has decreased. */
    boolean updatePercent(int next) {
        var rises = next >= percent;
        percent = next;
        return rises;
    }

    @Override
    public String toString() {
        return kind.text() + " " + id();
    }
}
