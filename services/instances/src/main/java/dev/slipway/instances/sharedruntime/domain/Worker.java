package dev.slipway.instances.sharedruntime.domain;

import dev.slipway.contract.domain.TextEnum;
import dev.slipway.instances.member.domain.Member;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/**
 * A member of a shared runtime and the source of its capacity.
 *
 * @param projectId the project that contributes it; null for the tenant
 * @param attachmentId the attachment under which it is contributed; null for the tenant
 */
public record Worker(
        Member member,
        Source source,
        @Nullable UUID projectId,
        @Nullable UUID attachmentId,
        @Nullable String allocationRef,
        @Nullable String region,
        @Nullable String sku) {

    /** The providers of capacity. */
    public enum Source implements TextEnum {
        TENANT,
        PROJECT
    }

    /** The capacity of a new worker. */
    public record Capacity(
            @Nullable String allocationRef,
            @Nullable String region,
            @Nullable String sku) {
        public static final Capacity UNSPECIFIED = new Capacity(null, null, null);
    }

    static Worker ofTenant(Member member, Capacity capacity) {
        return new Worker(
                member, Source.TENANT, null, null, capacity.allocationRef(), capacity.region(), capacity.sku());
    }

    static Worker ofProject(Member member, Attachment attachment, Capacity capacity) {
        return new Worker(
                member,
                Source.PROJECT,
                attachment.projectId(),
                attachment.id(),
                capacity.allocationRef(),
                capacity.region(),
                capacity.sku());
    }

    public UUID id() {
        return member.id();
    }

    /** Returns another member with the same capacity. */
    Worker withMember(Member next) {
        return new Worker(next, source, projectId, attachmentId, allocationRef, region, sku);
    }

    boolean belongsTo(Attachment attachment) {
        return attachment.id().equals(attachmentId);
    }

    /** Returns whether it still exists at the runtime, as far as known. */
    boolean isPresent() {
        return member.observed() != Member.ObservedState.REMOVED;
    }
}
