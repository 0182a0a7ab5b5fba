package dev.slipway.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.conformance.Clause.Finding;
import dev.slipway.conformance.ScenarioInstance.ObservedState;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.RegistrySeeds;
import dev.slipway.contract.UntrustedSchema;
import dev.slipway.contract.domain.RegistryKind;
import dev.slipway.contract.domain.TextEnum;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The rules for every report on a command, in all scenarios. Called under the lock of {@link RunState}. */
final class ReportRules {
    private static final BigDecimal MS_PER_HOUR =
            BigDecimal.valueOf(Duration.ofHours(1).toMillis());
    private static final BigDecimal ROUNDING = new BigDecimal("0.00001");

    /** Decimal places of the units that every platform has. */
    private static final Map<String, Integer> PRECISIONS = RegistrySeeds.load().entries().stream()
            .filter(entry -> entry.kind() == RegistryKind.USAGE_UNIT)
            .collect(Collectors.toMap(
                    RegistrySeeds.Entry::id,
                    entry -> entry.body().path("precision").asInt()));

    private final ConformanceProfile profile;
    private final String dataDirectory;

    /**
     * Creates the rules of a run.
     *
     * @param dataDirectory the directory of the adapter's files, which must not appear in what tenants read
     */
    ReportRules(ConformanceProfile profile, Path dataDirectory) {
        this.profile = profile;
        this.dataDirectory = dataDirectory.toAbsolutePath().toString();
    }

    List<Finding> check(ReceivedReport report, SentCommand command) {
        var findings = new ArrayList<Finding>();
        checkContext(report, command, findings);
        checkSequence(report, command, findings);
        switch (report.type()) {
            case "progress" -> checkProgress(report, command, findings);
            case "operation" -> checkOutcome(report, command, findings);
            case "members" -> checkMembers(report, command, findings);
            case "usage" -> checkUsage(report, command, findings);
            default -> {}
        }
        return findings;
    }

    private static void checkContext(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var instance = command.instance();
        if (!report.text("org_id").equals(instance.org().toString()) || !namesRightProject(report, instance)) {
            findings.add(finding(
                    Clause.TASK_ISOLATION, report, command, "names another organization or project than its command"));
        }
        if (instance.isShared() != report.field("shared_runtime_id").isTextual()) {
            findings.add(finding(Clause.SHARED_RUNTIMES, report, command, "names the wrong kind of subject"));
        }
        if (!instance.id().toString().equals(report.key())) {
            findings.add(finding(Clause.KEYS, report, command, "has the key " + report.key()));
        }
        if (report.field("generation").asInt() != command.generation()) {
            findings.add(finding(
                    Clause.GENERATION,
                    report,
                    command,
                    "has generation " + report.field("generation").asInt() + ", its command " + command.generation()));
        }
        if (!report.event().correlationId().equals(command.event().correlationId())) {
            findings.add(finding(
                    Clause.CORRELATION,
                    report,
                    command,
                    "has the correlation id " + report.event().correlationId()));
        }
        var operation = command.field("operation_id").asText();
        var named = report.text("operation_id");
        if (!named.equals(operation) && !(named.isEmpty() && !report.is("operation"))) {
            findings.add(finding(
                    Clause.OPERATION_ID,
                    report,
                    command,
                    "names the operation " + named + ", its command " + operation));
        }
    }

    /** A report on a shared runtime has no project; its usage may belong to an attached one. */
    private static boolean namesRightProject(ReceivedReport report, ScenarioInstance instance) {
        var project = report.text("project_id");
        return project.equals(instance.project().toString())
                ? !instance.isShared() || report.is("usage")
                : instance.isShared() && project.isEmpty();
    }

    private static void checkSequence(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var type = report.type();
        var end = command.finalReport();
        if (command.instance().isDeleted() && !type.equals("usage") && !type.equals("members")) {
            findings.add(
                    finding(Clause.NO_REPORT_AFTER_END, report, command, "was sent after the instance was deleted"));
        } else if (end != null && !command.kind().allowsAfterEnd(type)) {
            findings.add(finding(
                    Clause.NO_REPORT_AFTER_END,
                    report,
                    command,
                    "was sent after the command's end, " + end.describe()));
        } else if (end == null && !command.kind().allows(type)) {
            findings.add(finding(Clause.TERMINAL_REPORT, report, command, "is not allowed on this command"));
        }
    }

    private static void checkProgress(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var percent = report.field("percent");
        if (percent.isInt() && !command.updatePercent(percent.asInt())) {
            findings.add(finding(Clause.PROGRESS, report, command, "has a lower percentage than the previous one"));
        }
    }

    private void checkOutcome(ReceivedReport report, SentCommand command, List<Finding> findings) {
        if (!report.text("status").equals("succeeded")) {
            if (report.text("reason").isEmpty()) {
                findings.add(finding(Clause.FAILURE_REASON, report, command, "gives no reason"));
            }
            return;
        }
        switch (command.kind()) {
            case OPERATE -> checkOutput(report, command, findings);
            case UPGRADE, ROLLBACK -> {
                if (report.endpoints().isEmpty()) {
                    findings.add(finding(Clause.UPGRADE, report, command, "has no endpoints"));
                }
            }
            case MEMBER -> applyMemberSuccess(command);
            case DEPLOY, CANCEL, DELETE -> {}
        }
    }

    private void checkOutput(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var schema = profile.base().outputSchema(command.field("operation").asText());
        if (schema == null) {
            return;
        }
        if (!report.field("output").isObject()) {
            findings.add(finding(Clause.OUTPUT, report, command, "has no output, although the manifest declares one"));
            return;
        }
        var problems = new ArrayList<FieldProblem>();
        UntrustedSchema.of("output_schema", schema).validateValue("/output", report.field("output"), problems);
        problems.forEach(problem ->
                findings.add(finding(Clause.OUTPUT, report, command, problem.field() + " " + problem.problem())));
    }

    /** Applies the reported states as the platform does: a report of an older generation is late and changes nothing. */
    private void checkMembers(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var issued = command.instance().members();
        for (var member : report.field("members")) {
            if (member.path("adapter_detail").toString().contains(dataDirectory)) {
                findings.add(finding(
                        Clause.MEMBERS,
                        report,
                        command,
                        "has a path of the host in adapter_detail, which tenants read"));
            }
            var known = issued.get(UUID.fromString(member.path("member_id").asText()));
            var generation = member.path("generation").asInt();
            var state = TextEnum.find(ObservedState.class, member.path("state").asText());
            if (known == null) {
                findings.add(finding(
                        Clause.MEMBERS,
                        report,
                        command,
                        "names member " + member.path("member_id").asText() + ", which was never issued"));
            } else if (generation > known.generation()) {
                findings.add(finding(
                        Clause.MEMBERS,
                        report,
                        command,
                        "names member " + known.id() + " in generation " + generation + ", which was never issued"));
            } else if (generation == known.generation() && (state == null || !known.canBecome(state))) {
                findings.add(finding(
                        Clause.MEMBERS,
                        report,
                        command,
                        "reports member " + known.id() + " as "
                                + member.path("state").asText() + ", but it is "
                                + known.observed().text() + " (desired: "
                                + known.desired().text() + ")"));
            } else if (generation == known.generation() && state != null) {
                issued.put(known.id(), known.withObserved(state));
            }
        }
    }

    /** Applies the success of an operation on a member, as the platform does. */
    private static void applyMemberSuccess(SentCommand command) {
        var issued = command.instance().members();
        for (var field : List.of("member", "replacement")) {
            issued.computeIfPresent(
                    UUID.fromString(command.field(field).path("member_id").asText(new UUID(0, 0).toString())),
                    (id, member) -> switch (member.desired()) {
                        case REMOVED -> member.withObserved(ObservedState.REMOVED);
                        case DRAINED ->
                            member.observed() == ObservedState.READY
                                    ? member.withObserved(ObservedState.DRAINING)
                                    : member;
                        case READY ->
                            member.observed() == ObservedState.PENDING || member.observed() == ObservedState.JOINING
                                    ? member.withObserved(ObservedState.READY)
                                    : member;
                    });
        }
    }

    /** A window of a unit is counted once, under one id with one quantity. */
    private static void checkUsage(ReceivedReport report, SentCommand command, List<Finding> findings) {
        var next = new ScenarioInstance.ReportedUsage(
                report.text("unit"), report.text("quantity"), report.text("window_start"), report.text("window_end"));
        var units = units(command.instance());
        if (units.stream().noneMatch(unit -> unit.equals(next.unit()))) {
            findings.add(finding(Clause.USAGE, report, command, "is in " + next.unit() + ", not one of " + units));
        }
        if (!Instant.parse(next.from()).isBefore(Instant.parse(next.to()))) {
            findings.add(finding(Clause.USAGE, report, command, "has an empty window"));
        }
        checkQuantity(report, command, next, findings);
        var counted = command.instance().usage();
        var before = counted.putIfAbsent(report.text("usage_id"), next);
        if (before != null && !before.equals(next)) {
            findings.add(finding(Clause.USAGE, report, command, "changes the content of a known usage_id"));
        }
        if (before == null
                && counted.entrySet().stream()
                        .filter(other -> !other.getKey().equals(report.text("usage_id")))
                        .anyMatch(other -> overlap(other.getValue(), next))) {
            findings.add(finding(
                    Clause.USAGE,
                    report,
                    command,
                    "overlaps with a window of " + next.unit() + " under another usage_id"));
        }
    }

    /** An instance cannot run longer than the window, and a quantity has no more decimal places than its unit. */
    private static void checkQuantity(
            ReceivedReport report, SentCommand command, ScenarioInstance.ReportedUsage usage, List<Finding> findings) {
        var quantity = new BigDecimal(usage.quantity());
        var precision = PRECISIONS.get(usage.unit());
        if (precision != null && quantity.stripTrailingZeros().scale() > precision) {
            findings.add(finding(
                    Clause.USAGE,
                    report,
                    command,
                    "has the quantity " + quantity + ", but " + usage.unit() + " has " + precision
                            + " decimal places"));
        }
        var window = Duration.between(Instant.parse(usage.from()), Instant.parse(usage.to()));
        var hours = BigDecimal.valueOf(window.toMillis()).divide(MS_PER_HOUR, 9, RoundingMode.UP);
        if (usage.unit().equals("app_runtime_hour") && quantity.subtract(hours).compareTo(ROUNDING) > 0) {
            findings.add(finding(
                    Clause.USAGE,
                    report,
                    command,
                    "counts " + quantity + " hours in a window of " + window.toMillis() + " ms"));
        }
    }

    private static boolean overlap(ScenarioInstance.ReportedUsage one, ScenarioInstance.ReportedUsage other) {
        return one.unit().equals(other.unit())
                && Instant.parse(one.from()).isBefore(Instant.parse(other.to()))
                && Instant.parse(other.from()).isBefore(Instant.parse(one.to()));
    }

    private static List<String> units(ScenarioInstance instance) {
        return instance.commands().stream()
                .flatMap(command -> StreamSupport.stream(
                        command.field("manifest").path("usage_units").spliterator(), false))
                .map(JsonNode::asText)
                .distinct()
                .toList();
    }

    private static Finding finding(Clause clause, ReceivedReport report, SentCommand command, String observation) {
        return new Finding(clause, report.describe() + " on " + command + " " + observation);
    }
}
