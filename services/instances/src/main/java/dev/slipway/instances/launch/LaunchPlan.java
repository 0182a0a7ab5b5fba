package dev.slipway.instances.launch;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.ErrorCode;
import dev.slipway.contract.Json;
import dev.slipway.contract.Problem;
import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/** A plan: the request and the outcome of deciding on it, both as JSON. */
public record LaunchPlan(ObjectNode request, ObjectNode outcome) {

    /** The outcome of a refused launch. */
    private record RefusedOutcome(Decision decision) {}

    /** The decision; {@code code}, {@code message} and {@code fields} are those of a refusal. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Decision(
            String result,
            @Nullable String code,
            @Nullable String message,
            @Nullable JsonNode fields) {
        public static final Decision ALLOWED = new Decision("allowed", null, null, null);
    }

    /** A field of the outcome that differs from the plan. */
    private record ChangedField(
            String field,
            @Nullable JsonNode planned,
            @Nullable JsonNode now) {}

    private record Changes(List<Object> changed) {}

    private record ChangedRequest(String field) {}

    public static LaunchPlan refused(JsonNode request, Problem problem) {
        return of(
                request,
                new RefusedOutcome(new Decision(
                        "refused",
                        problem.code().code(),
                        problem.message(),
                        problem.details().get("fields"))));
    }

    /** Returns the plan of a request; {@code outcome} is a record that starts with the decision. */
    public static LaunchPlan of(JsonNode request, Object outcome) {
        var requested = ((ObjectNode) request).deepCopy();
        requested.remove("plan_id");
        return new LaunchPlan(normalize(requested), normalize(Json.toObject(outcome)));
    }

    static LaunchPlan ofStored(String request, String outcome) {
        return new LaunchPlan(Json.parseStoredObject(request), Json.parseStoredObject(outcome));
    }

    static RuntimeException notFound(UUID planId) {
        return Problem.of(
                        ErrorCode.PLAN_NOT_FOUND, "There is no plan " + planId + " here, or it has been used already.")
                .asException();
    }

    static void requireUnexpired(Instant expiresAt, Instant now) {
        if (!expiresAt.isAfter(now)) {
            throw Problem.of(ErrorCode.PLAN_EXPIRED, "The plan has expired. Create a new one.")
                    .asException();
        }
    }

    /** Returns the JSON as it reads when it comes back from the database. */
    private static ObjectNode normalize(ObjectNode node) {
        return Json.parseStoredObject(Json.text(node));
    }

    /** Rejects a request whose outcome is no longer the planned one. */
    public void requireUnchanged(LaunchPlan now) {
        var changed = new ArrayList<Object>();
        if (!request.equals(now.request)) {
            changed.add(new ChangedRequest("request"));
        }
        var names = new TreeSet<String>();
        outcome.fieldNames().forEachRemaining(names::add);
        now.outcome.fieldNames().forEachRemaining(names::add);
        for (var name : names) {
            if (!Objects.equals(outcome.get(name), now.outcome.get(name))) {
                changed.add(new ChangedField(name, outcome.get(name), now.outcome.get(name)));
            }
        }
        if (!changed.isEmpty()) {
            var details = Json.toObject(new Changes(changed));
            throw new Problem(
                            ErrorCode.PLAN_OUTDATED,
                            "The request no longer matches its plan: "
                                    + details.path("changed")
                                            .path(0)
                                            .path("field")
                                            .asText()
                                    + " has changed. Create a new plan.",
                            details)
                    .asException();
        }
    }
}
