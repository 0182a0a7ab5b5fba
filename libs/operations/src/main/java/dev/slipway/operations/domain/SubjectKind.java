package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;

/** The kinds of resources that operations run on. */
public enum SubjectKind implements TextEnum {
    APP_INSTANCE("app instance", "app-instances", "apps.instance", "apps.instance_operation."),
    SHARED_RUNTIME("shared runtime", "shared-app-runtimes", "apps.shared_runtime", "apps.shared_runtime.operation.");

    private final String noun;
    private final String pathSegment;
    private final String actionPrefix;
    private final String operationEventPrefix;

    SubjectKind(String noun, String pathSegment, String actionPrefix, String operationEventPrefix) {
        this.noun = noun;
        this.pathSegment = pathSegment;
        this.actionPrefix = actionPrefix;
        this.operationEventPrefix = operationEventPrefix;
    }

    /** Returns the name of the subject's id in paths and payloads. */
    public String idField() {
        return text() + "_id";
    }

    public String noun() {
        return noun;
    }

    public String notFoundCode() {
        return text() + "_not_found";
    }

    public String pathSegment() {
        return pathSegment;
    }

    /** Returns the action of this kind, such as {@code apps.instance.report}. */
    public String action(String verb) {
        return actionPrefix + "." + verb;
    }

    /** Returns the type of the event of an operation on such a subject. */
    public String operationEventType(OperationEvent event) {
        return operationEventPrefix + event.text();
    }
}
