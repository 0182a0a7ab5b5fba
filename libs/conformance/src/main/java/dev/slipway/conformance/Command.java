package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Envelope;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A command that the kit has given, and what was heard of it. Guarded by the {@link Ledger}. */
final class Command {
    private final Kind kind;
    private final Instance instance;
    private final Envelope event;
    private final List<Report> reports = new ArrayList<>();
    private @Nullable Report end;
    private int percent;

    Command(Kind kind, Instance instance, Envelope event) {
        this.kind = kind;
        this.instance = instance;
        this.event = event;
    }

    Kind kind() {
        return kind;
    }

    Instance instance() {
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

    JsonNode field(String name) {
        return event.payload().path(name);
    }

    List<Report> reports() {
        return reports;
    }

    @Nullable
    Report end() {
        return end;
    }

    boolean isOver() {
        return end != null;
    }

    /** Whether the platform still lists it for an adapter that starts: what the desired state says too, it lists until it was heard of. */
    boolean isOpen() {
        return kind.raisesGeneration() ? reports.isEmpty() : !isOver();
    }

    void end(Report report) {
        end = report;
    }

    /** Answers whether the percentage has not sunk. */
    boolean progress(int next) {
        var rises = next >= percent;
        percent = next;
        return rises;
    }

    @Override
    public String toString() {
        return kind.plain() + " " + id();
    }
}
