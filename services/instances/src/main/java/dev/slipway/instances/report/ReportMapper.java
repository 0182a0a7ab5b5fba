package dev.slipway.instances.report;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.launch.domain.VersionChange;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.instances.member.domain.Member.ObservedState;
import dev.slipway.instances.member.domain.MemberReport;
import dev.slipway.instances.report.domain.AdapterReport;
import dev.slipway.operations.RuntimeReport;
import dev.slipway.operations.domain.ReportType;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** Converts adapter reports from their JSON to those that decisions use. */
public final class ReportMapper {
    private static final int MAX_DETAIL_BYTES = 16 * 1024;

    private ReportMapper() {}

    public static AdapterReport toReport(
            RuntimeReport report,
            String storedState,
            List<Member> members,
            @Nullable VersionChange target,
            @Nullable String invalidOutput) {
        var payload = report.payload();
        return new AdapterReport(
                report.type(),
                payload.generation(),
                runtimeState(report, storedState, target),
                payload.reason(),
                payload.percent(),
                payload.message(),
                payload.blockers(),
                payload.status(),
                payload.output() == null ? null : Json.text(payload.output()),
                invalidOutput,
                toMemberReports(payload.members(), members),
                target);
    }

    /** The runtime state to store; if the report repeats the stored state, the stored text, so that nothing changes. */
    private static String runtimeState(RuntimeReport report, String stored, @Nullable VersionChange target) {
        var state = Json.object();
        var payload = report.payload();
        var endpoints = payload.endpoints();
        if (target != null) {
            state.set("endpoints", endpoints != null && endpoints.isArray() ? endpoints : Json.array());
            return Json.text(state);
        }
        if (report.type() == ReportType.DEPLOYING && payload.message() != null) {
            state.put("message", payload.message());
        }
        if (report.type() == ReportType.RUNNING && endpoints != null) {
            state.set("endpoints", endpoints);
        }
        return Json.parseStoredObject(stored).equals(state) ? stored : Json.text(state);
    }

    private static List<MemberReport> toMemberReports(
            @Nullable List<RuntimeReport.MemberState> states, List<Member> members) {
        if (states == null) {
            return List.of();
        }
        return states.stream()
                .map(state -> new MemberReport(
                        state.memberId(),
                        state.generation(),
                        TextEnum.parse(ObservedState.class, state.state()),
                        state.componentKey(),
                        detail(state.adapterDetail(), state.memberId(), members),
                        state.reason()))
                .toList();
    }

    /** Null if the detail is unchanged: PostgreSQL formats the same JSON differently. */
    private static @Nullable String detail(@Nullable JsonNode reported, UUID memberId, List<Member> members) {
        if (reported == null || !reported.isObject()) {
            return null;
        }
        var unchanged = members.stream()
                .filter(member -> member.id().equals(memberId))
                .anyMatch(
                        member -> Json.parseStoredObject(member.adapterDetail()).equals(reported));
        if (unchanged) {
            return null;
        }
        var text = Json.text(reported);
        if (text.getBytes(StandardCharsets.UTF_8).length > MAX_DETAIL_BYTES) {
            throw Problem.validationOf(ErrorCode.VALIDATION_ERROR, "adapter_detail", "is larger than 16 KiB")
                    .asException();
        }
        return text;
    }
}
