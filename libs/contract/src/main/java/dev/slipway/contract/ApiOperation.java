package dev.slipway.contract;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Problem.FieldProblem;
import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** One operation of the REST contract, with its validators compiled. */
public final class ApiOperation {

    /** The resource scope in which an operation's action is authorized. */
    public enum Scope implements TextEnum {
        /** No token required. */
        PUBLIC,
        /** Any authenticated caller; the handler returns the caller's own data only. */
        SELF,
        /** The project in the path. */
        PROJECT,
        /** The project in X-Project-ID; without the header, any resource scope of the caller. */
        PROJECT_HEADER,
        /** The organization in the path. */
        ORGANIZATION,
        /** The platform. */
        PLATFORM
    }

    private static final int MAX_BODY_BYTES = 1 << 20;
    private static final int MAX_PUBLIC_BODY_BYTES = 16 << 10;

    private final String id;
    private final @Nullable String adminVariantOf;
    private final @Nullable String dryRunOperationId;
    private final String method;
    private final String path;
    private final String action;
    private final Scope scope;
    private final boolean reads;
    private final boolean isStream;
    private final int successStatus;
    private final String contentType;
    private final String cacheControl;
    private final boolean servesLastKnown;
    private final int maxBodyBytes;
    private final @Nullable String indicator;
    private final List<Parameter> pathParameters;
    private final Map<String, Parameter> queryParameters;
    private final List<Parameter> headerParameters;
    private final @Nullable SchemaValidator body;
    private final Map<String, Integer> maxFieldBytes;

    ApiOperation(
            String id,
            @Nullable String adminVariantOf,
            @Nullable String dryRun,
            String method,
            String path,
            String action,
            Scope scope,
            boolean reads,
            boolean streams,
            int successStatus,
            String contentType,
            int publicCacheSeconds,
            boolean servesLastKnown,
            int maxBodyKib,
            @Nullable String indicator,
            List<Parameter> pathParameters,
            Map<String, Parameter> queryParameters,
            List<Parameter> headerParameters,
            @Nullable SchemaValidator body,
            Map<String, Integer> maxFieldBytes) {
        this.id = id;
        this.adminVariantOf = adminVariantOf;
        this.dryRunOperationId = dryRun;
        this.method = method;
        this.path = path;
        this.action = action;
        this.scope = scope;
        this.reads = reads;
        this.isStream = streams;
        this.successStatus = successStatus;
        this.contentType = contentType;
        this.cacheControl = cacheControl(method, publicCacheSeconds);
        this.servesLastKnown = servesLastKnown;
        this.maxBodyBytes =
                maxBodyKib > 0 ? maxBodyKib << 10 : scope == Scope.PUBLIC ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES;
        this.indicator = indicator;
        this.pathParameters = pathParameters;
        this.queryParameters = queryParameters;
        this.headerParameters = headerParameters;
        this.body = body;
        this.maxFieldBytes = maxFieldBytes;
    }

    public String id() {
        return id;
    }

    /** Returns the operation whose handler serves this one: itself, or the operation that it is the admin variant of. */
    public String handlerId() {
        return adminVariantOf == null ? id : adminVariantOf;
    }

    /** Returns whether this is the break-glass variant, under {@code /api/v1/admin}, of another operation. */
    public boolean isAdminVariant() {
        return adminVariantOf != null;
    }

    /** Returns the operation that runs instead if the query asks for a dry run; null if there is none. */
    public @Nullable String dryRunOperationId() {
        return dryRunOperationId;
    }

    public String method() {
        return method;
    }

    /** Returns the path template, with its parameters in braces. */
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

    /** Returns the media type of successful responses. */
    public String contentType() {
        return contentType;
    }

    /** Returns the Cache-Control value of successful responses. Only responses to GET may be stored: secrets are never returned there. */
    public String cacheControl() {
        return cacheControl;
    }

    private static String cacheControl(String method, int publicCacheSeconds) {
        if (publicCacheSeconds > 0) {
            return "public, max-age=" + publicCacheSeconds;
        }
        return method.equals("GET") ? "private, no-cache" : "no-store";
    }

    public boolean hasBody() {
        return body != null;
    }

    /** Returns whether the last successful response is returned while the service is unavailable. The operation has no parameters. */
    public boolean servesLastKnown() {
        return servesLastKnown;
    }

    /** Returns the service level indicator that the duration of the operation belongs to; null if there is none. */
    public @Nullable String indicator() {
        return indicator;
    }

    /**
     * Returns the size limit of the request body, in bytes. Public operations accept a credential or a token and nothing larger, unless the
     * contract allows it.
     */
    public int maxBodyBytes() {
        return maxBodyBytes;
    }

    /** Parses a request body, like {@link Json#parse}. Rejects fields that are larger than the contract allows. */
    public JsonNode parseBody(byte[] json) throws IOException {
        return Json.parse(json, maxFieldBytes);
    }

    public boolean isMutation() {
        return !reads;
    }

    /** Returns whether the response is an event stream. */
    public boolean isStream() {
        return isStream;
    }

    public boolean isDelete() {
        return method.equals("DELETE");
    }

    /** Returns whether the last path parameter takes the rest of the path, with its slashes. */
    public boolean hasMultiSegmentTail() {
        return pathParameters.stream().anyMatch(Parameter::isMultiSegment);
    }

    public List<Parameter> headerParameters() {
        return headerParameters;
    }

    /** Validates a request; returns all of its problems. */
    public List<FieldProblem> validate(
            Map<String, String> path,
            Map<String, List<String>> query,
            UnaryOperator<@Nullable String> header,
            @Nullable JsonNode json) {
        var problems = new ArrayList<FieldProblem>(0);
        for (var parameter : pathParameters) {
            parameter.validate(path.get(parameter.name()), problems);
        }
        validateQuery(query, problems);
        for (var parameter : headerParameters) {
            parameter.validate(header.apply(parameter.name()), problems);
        }
        if (body != null) {
            body.validate(json, problems);
        }
        return problems;
    }

    private void validateQuery(Map<String, List<String>> query, List<FieldProblem> problems) {
        for (var parameter : queryParameters.values()) {
            var given = query.get(parameter.name());
            if (given != null && given.size() > 1) {
                problems.add(new FieldProblem(parameter.name(), "must be given once only"));
            } else {
                parameter.validate(given == null ? null : given.get(0), problems);
            }
        }
        for (var name : query.keySet()) {
            if (!queryParameters.containsKey(name)) {
                problems.add(new FieldProblem(name, "is not a parameter of this operation"));
            }
        }
    }
}
