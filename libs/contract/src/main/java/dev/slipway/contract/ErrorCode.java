package dev.slipway.contract;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The catalogue of error codes; the OpenAPI document lists the same ones. Codes are stable: add, never change. */
public enum ErrorCode {
    VALIDATION_ERROR(Kind.INVALID),
    INVALID_CURSOR(Kind.INVALID),
    INVALID_REQUEST(Kind.INVALID),
    MALFORMED_JSON(Kind.INVALID),
    PROJECT_MISMATCH(Kind.INVALID),
    TOKEN_MISSING(Kind.UNAUTHENTICATED),
    TOKEN_INVALID(Kind.UNAUTHENTICATED),
    TOKEN_EXPIRED(Kind.UNAUTHENTICATED),
    TOKEN_REVOKED(Kind.UNAUTHENTICATED),
    CREDENTIAL_INVALID(Kind.UNAUTHENTICATED),
    INSUFFICIENT_PERMISSIONS(Kind.FORBIDDEN),
    BREAK_GLASS_REQUIRED(Kind.FORBIDDEN),
    GRANT_EXCEEDS_OWN(Kind.FORBIDDEN),
    APP_NOT_ENTITLED(Kind.FORBIDDEN),
    SOURCE_NOT_ALLOWED(Kind.FORBIDDEN),
    REPOSITORY_NOT_ALLOWED(Kind.FORBIDDEN),
    APP_DENIED(Kind.FORBIDDEN),
    FEATURE_DISABLED(Kind.FORBIDDEN),
    OPERATING_MODE_NOT_ALLOWED(Kind.FORBIDDEN),
    CONTROL_PLANE_SCOPE_NOT_ALLOWED(Kind.FORBIDDEN),
    REGION_NOT_ALLOWED(Kind.FORBIDDEN),
    SKU_NOT_ALLOWED(Kind.FORBIDDEN),
    GPU_LIMIT_EXCEEDED(Kind.FORBIDDEN),
    NOT_FOUND(Kind.NOT_FOUND),
    APP_NOT_FOUND(Kind.NOT_FOUND),
    APP_VERSION_NOT_FOUND(Kind.NOT_FOUND),
    APP_INSTANCE_NOT_FOUND(Kind.NOT_FOUND),
    OPERATION_NOT_FOUND(Kind.NOT_FOUND),
    PLAN_NOT_FOUND(Kind.NOT_FOUND),
    ARTIFACT_NOT_FOUND(Kind.NOT_FOUND),
    ENTITLEMENT_NOT_FOUND(Kind.NOT_FOUND),
    CORRELATION_NOT_FOUND(Kind.NOT_FOUND),
    METHOD_NOT_ALLOWED(Kind.METHOD),
    IDEMPOTENCY_CONFLICT(Kind.CONFLICT),
    INSTANCE_STATE_CONFLICT(Kind.CONFLICT),
    APP_VERSION_NOT_LAUNCHABLE(Kind.CONFLICT),
    APP_VERSION_DEPRECATED(Kind.CONFLICT),
    INSTANCE_LIMIT_REACHED(Kind.CONFLICT),
    OPERATION_IN_PROGRESS(Kind.CONFLICT),
    OPERATION_NOT_CANCELABLE(Kind.CONFLICT),
    UPGRADE_NOT_POSSIBLE(Kind.CONFLICT),
    ROLLBACK_NOT_POSSIBLE(Kind.CONFLICT),
    PLAN_EXPIRED(Kind.CONFLICT),
    PLAN_OUTDATED(Kind.CONFLICT),
    POLICY_WIDENS(Kind.CONFLICT),
    TASK_UNKNOWN(Kind.CONFLICT),
    OPERATOR_ACCOUNT_INVALID(Kind.CONFLICT),
    SLUG_TAKEN(Kind.CONFLICT),
    LAST_OWNER(Kind.CONFLICT),
    CREDENTIAL_LIMIT(Kind.CONFLICT),
    BUILTIN_ROLE(Kind.CONFLICT),
    RESOURCE_DELETED(Kind.CONFLICT),
    NOT_EMPTY(Kind.CONFLICT),
    STATE_CONFLICT(Kind.CONFLICT),
    ARTIFACT_EXISTS(Kind.CONFLICT),
    ARTIFACT_TYPE_INACTIVE(Kind.CONFLICT),
    ARTIFACT_UNVERIFIED(Kind.CONFLICT),
    ARTIFACT_VERIFICATION_FAILED(Kind.CONFLICT),
    ARTIFACT_REVOKED(Kind.CONFLICT),
    CHANNEL_OUT_OF_ORDER(Kind.CONFLICT),
    DIGEST_MISMATCH(Kind.CONFLICT),
    DIGEST_NOT_FOUND(Kind.CONFLICT),
    SOURCE_REFUSED(Kind.CONFLICT),
    SOURCE_TOO_LARGE(Kind.CONFLICT),
    CREDENTIALS_UNAVAILABLE(Kind.CONFLICT),
    MANIFEST_INVALID(Kind.CONFLICT),
    VERSION_IMMUTABLE(Kind.CONFLICT),
    PRECONDITION_FAILED(Kind.PRECONDITION),
    PRECONDITION_REQUIRED(Kind.PRECONDITION_MISSING),
    BODY_TOO_LARGE(Kind.TOO_LARGE),
    UNSUPPORTED_MEDIA_TYPE(Kind.MEDIA_TYPE),
    POLICY_INVALID(Kind.UNPROCESSABLE),
    LAUNCH_PARAMETERS_INVALID(Kind.UNPROCESSABLE),
    RATE_LIMITED(Kind.TOO_MANY),
    INTERNAL_ERROR(Kind.INTERNAL),
    SERVICE_UNAVAILABLE(Kind.UNAVAILABLE),
    DEPENDENCY_UNAVAILABLE(Kind.UNAVAILABLE_DEPENDENCY),
    SOURCE_UNAVAILABLE(Kind.UNAVAILABLE_DEPENDENCY),
    AUTHZ_STALE(Kind.UNAVAILABLE),
    POLICY_STALE(Kind.UNAVAILABLE),
    AUTHZ_BEHIND(Kind.UNAVAILABLE),
    TIMEOUT(Kind.TIMEOUT);

    /** The classes of failure. {@link ErrorEnvelope} gives each its status. */
    public enum Kind {
        INVALID,
        UNAUTHENTICATED,
        FORBIDDEN,
        NOT_FOUND,
        METHOD,
        CONFLICT,
        PRECONDITION,
        PRECONDITION_MISSING,
        TOO_LARGE,
        MEDIA_TYPE,
        UNPROCESSABLE,
        TOO_MANY,
        INTERNAL,
        UNAVAILABLE,
        UNAVAILABLE_DEPENDENCY,
        TIMEOUT
    }

    private static final Map<String, ErrorCode> BY_CODE =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(ErrorCode::code, Function.identity()));

    private final Kind kind;
    private final String code;

    ErrorCode(Kind kind) {
        this.kind = kind;
        this.code = name().toLowerCase(Locale.ROOT);
    }

    public static ErrorCode of(String code) {
        var found = BY_CODE.get(code);
        if (found == null) {
            throw new IllegalArgumentException("not in the catalogue of error codes: " + code);
        }
        return found;
    }

    public Kind kind() {
        return kind;
    }

    public String code() {
        return code;
    }
}
