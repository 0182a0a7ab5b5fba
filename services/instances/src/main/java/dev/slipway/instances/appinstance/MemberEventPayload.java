package dev.slipway.instances.appinstance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.slipway.contract.Json;
import dev.slipway.instances.member.domain.Member;
import dev.slipway.operations.domain.Subject;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** The payload of {@code apps.instance_member.changed}. */
record MemberEventPayload(
        UUID orgId,
        @Nullable UUID projectId,
        String appSlug,
        UUID appInstanceId,
        long sequence,
        UUID memberId,
        String component,
        int generation,
        Member.DesiredState desiredState,
        Member.ObservedState observedState,
        @Nullable String componentKey,
        @Nullable String reason,
        @Nullable UUID operationId) {
    static final String TYPE = "apps.instance_member.changed";

    /** The subject's sequence is the number of the event. */
    static ObjectNode of(Subject subject, Member m, @Nullable UUID operationId) {
        return Json.toObject(new MemberEventPayload(
                subject.ref().orgId(),
                subject.ref().projectId(),
                subject.appSlug(),
                subject.id(),
                subject.sequence(),
                m.id(),
                m.component(),
                m.generation(),
                m.desired(),
                m.observed(),
                m.componentKey(),
                m.reason(),
                operationId));
    }
}
