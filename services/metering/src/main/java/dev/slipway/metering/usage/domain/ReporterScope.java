package dev.slipway.metering.usage.domain;

import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The resources that a reporter may report usage of. */
public sealed interface ReporterScope {

    /** The usage of one project. */
    record ProjectReporter(UUID orgId, UUID projectId) implements ReporterScope {}

    /** The usage of one shared runtime by any project that is attached to it. */
    record RuntimeReporter(UUID orgId, UUID sharedRuntimeId) implements ReporterScope {}

    /** The platform itself: lifecycle events, and reports that another service has authorized. */
    record PlatformReporter() implements ReporterScope {}

    /** Returns the stored name of a source, which no reporter of another scope can use. */
    default String qualify(String source) {
        if (this instanceof ProjectReporter project) {
            return project.projectId + "/" + source;
        }
        return this instanceof RuntimeReporter runtime ? runtime.sharedRuntimeId + "/" + source : source;
    }

    /** Returns the organization of the reporter; null for the platform. */
    default @Nullable UUID org() {
        if (this instanceof ProjectReporter project) {
            return project.orgId;
        }
        return this instanceof RuntimeReporter runtime ? runtime.orgId : null;
    }

    /** Returns the project of facts that name none. */
    default @Nullable UUID defaultProject() {
        return this instanceof ProjectReporter project ? project.projectId : null;
    }

    /** Returns the shared runtime of facts that name none. */
    default @Nullable UUID defaultRuntime() {
        return this instanceof RuntimeReporter runtime ? runtime.sharedRuntimeId : null;
    }
}
