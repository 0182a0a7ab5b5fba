package dev.slipway.operations.domain;

/** The kinds of resources that operations run on. */
public enum SubjectKind implements TextEnum {
    APP_INSTANCE("app_instance_id", "app instance", "app_instance_not_found", "app-instances");

    private final String idField;
    private final String noun;
    private final String notFoundCode;
    private final String pathSegment;

    SubjectKind(String idField, String noun, String notFoundCode, String pathSegment) {
        this.idField = idField;
        this.noun = noun;
        this.notFoundCode = notFoundCode;
        this.pathSegment = pathSegment;
    }

    /** Returns the name of the subject's id in paths and payloads. */
    public String idField() {
        return idField;
    }

    public String noun() {
        return noun;
    }

    public String notFoundCode() {
        return notFoundCode;
    }

    public String pathSegment() {
        return pathSegment;
    }
}
