package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One operation of the REST contract, with its checks prepared once so that a request only runs them. */
public final class Operation {

    /** Where an operation's action is judged. */
    public enum Scope {
        /** No token is needed. */
        PUBLIC,
        /** Any authenticated caller; the handler shows each only their own. */
        SELF,
        /** The project in the path. */
        PROJECT,
        /** The project in X-Project-ID, or any scope of the caller's without it. */
        PROJECT_HEADER,
        /** The organization in the path. */
        ORGANIZATION,
        /** The platform. */
        PLATFORM;

        static Scope of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    private final String id;
    private final @Nullable String twinOf;
    private final @Nullable String dryRun;
    private final String method;
    private final String path;
    private final String action;
    private final Scope scope;
    private final boolean reads;
    private final boolean streams;
    private final int successStatus;
    private final List<Parameter> pathParameters;
    private final Map<String, Parameter> queryParameters;
    private final List<Parameter> headerParameters;
    private final @Nullable SchemaCheck body;

    Operation(
            String id,
            @Nullable String twinOf,
            @Nullable String dryRun,
            String method,
            String path,
            String action,
            Scope scope,
            boolean reads,
            boolean streams,
            int successStatus,
            List<Parameter> pathParameters,
            Map<String, Parameter> queryParameters,
            List<Parameter> headerParameters,
            @Nullable SchemaCheck body) {
        this.id = id;
        this.twinOf = twinOf;
        this.dryRun = dryRun;
        this.method = method;
        this.path = path;
        this.action = action;
        this.scope = scope;
        this.reads = reads;
        this.streams = streams;
        this.successStatus = successStatus;
        this.pathParameters = pathParameters;
        this.queryParameters = queryParameters;
        this.headerParameters = headerParameters;
        this.body = body;
    }

    public String id() {
        return id;
    }

    /** The operation that serves this one: itself, or the one whose admin twin it is. */
    public String servedBy() {
        return twinOf == null ? id : twinOf;
    }

    /** Whether this is the admin twin of another operation. */
    public boolean isTwin() {
        return twinOf != null;
    }

    /** The operation that says what would come of this one, and is done instead where the query asks for a dry run; null if none is. */
    public @Nullable String dryRun() {
        return dryRun;
    }

    public String method() {
        return method;
    }

    /** The path template, with its parameters in braces. */
    public String path() {
        return path;
    }

    public String action() {
        return action;
    }

    public Scope scope() {
        return scope;
    }

    public int successStatus() {
        return successStatus;
    }

    public boolean takesBody() {
        return body != null;
    }

    public boolean changesSomething() {
        return !reads;
    }

    /** Whether it is answered by a stream of events, for as long as the caller stays. */
    public boolean streams() {
        return streams;
    }

    /** Whether it only takes something away. */
    public boolean removes() {
        return method.equals("DELETE");
    }

    public List<Parameter> headerParameters() {
        return headerParameters;
    }

    /** Everything that is wrong with a request; empty when it is as the contract says. */
    public List<FieldProblem> check(
            Map<String, String> path,
            Map<String, List<String>> query,
            UnaryOperator<@Nullable String> header,
            @Nullable JsonNode json) {
        var problems = new ArrayList<FieldProblem>(0);
        for (var parameter : pathParameters) {
            parameter.check(path.get(parameter.name()), problems);
        }
        checkQuery(query, problems);
        for (var parameter : headerParameters) {
            parameter.check(header.apply(parameter.name()), problems);
        }
        if (body != null) {
            body.check(json, problems);
        }
        return problems;
    }

    private void checkQuery(Map<String, List<String>> query, List<FieldProblem> problems) {
        for (var parameter : queryParameters.values()) {
            var given = query.get(parameter.name());
            if (given != null && given.size() > 1) {
                problems.add(new FieldProblem(parameter.name(), "is given more than once"));
            } else {
                parameter.check(given == null ? null : given.get(0), problems);
            }
        }
        for (var name : query.keySet()) {
            if (!queryParameters.containsKey(name)) {
                problems.add(new FieldProblem(name, "is not a parameter of this operation"));
            }
        }
    }
}
