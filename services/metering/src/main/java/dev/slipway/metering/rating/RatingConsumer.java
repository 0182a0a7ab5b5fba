package dev.slipway.metering.rating;

import dev.slipway.contract.Envelope;
import dev.slipway.contract.Json;
import dev.slipway.messaging.InboxConsumer.ReceivedEvent;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Stores what prices and cost splits depend on: plans of organizations, launches of instances and attachments of projects. */
public final class RatingConsumer {
    private final RatingInputStore store;
    private final RatingQueueStore queue;

    private record OrganizationSnapshot(
            UUID orgId, @Nullable String plan) {}

    private record InstanceRequested(UUID orgId, UUID appInstanceId) {}

    private record AttachmentChanged(UUID orgId, UUID sharedRuntimeId, UUID attachmentId, UUID projectId) {}

    public RatingConsumer(RatingInputStore store, RatingQueueStore queue) {
        this.store = store;
        this.queue = queue;
    }

    /** Applies events; one that was applied before changes nothing. */
    public Future<Void> apply(UnitOfWork unit, List<ReceivedEvent> events) {
        var toQueue = new ArrayList<Runnable>();
        var chain = Future.<Void>succeededFuture();
        for (var event : events) {
            chain = chain.compose(ok -> apply(unit, event.envelope(), toQueue));
        }
        return chain.map(ok -> {
            if (!toQueue.isEmpty()) {
                queue.lock(unit);
                toQueue.forEach(Runnable::run);
            }
            return null;
        });
    }

    private Future<Void> apply(UnitOfWork unit, Envelope event, List<Runnable> toQueue) {
        var payload = event.payload();
        switch (event.eventType()) {
            case "iam.organization.snapshot" -> {
                return applyPlan(unit, event, toQueue);
            }
            case "apps.instance.requested" -> {
                var launched = Json.toRecord(payload, InstanceRequested.class);
                store.insertLaunch(unit, launched.appInstanceId, launched.orgId, event.occurredAt());
                // Usage that arrived before its launch was rated without the price at launch.
                toQueue.add(() -> queue.queueInstance(unit, launched.orgId, launched.appInstanceId));
            }
            case "apps.shared_runtime.attachment.attached" -> {
                var attached = Json.toRecord(payload, AttachmentChanged.class);
                store.insertAttachment(
                        unit,
                        attached.attachmentId,
                        attached.sharedRuntimeId,
                        attached.orgId,
                        attached.projectId,
                        event.occurredAt());
                toQueue.add(() -> queue.queueRuntime(unit, attached.orgId, attached.sharedRuntimeId, month(event)));
            }
            case "apps.shared_runtime.attachment.detached" -> {
                var detached = Json.toRecord(payload, AttachmentChanged.class);
                store.endAttachment(unit, detached.orgId, detached.attachmentId, event.occurredAt());
                // Later months that are rated already counted the project as attached.
                toQueue.add(() -> queue.queueRuntime(
                        unit,
                        detached.orgId,
                        detached.sharedRuntimeId,
                        month(event).plusMonths(1)));
            }
            default -> {
                // Other events of these topics are not needed here.
            }
        }
        return Future.succeededFuture();
    }

    private Future<Void> applyPlan(UnitOfWork unit, Envelope event, List<Runnable> toQueue) {
        var organization = Json.toRecord(event.payload(), OrganizationSnapshot.class);
        var plan = Objects.requireNonNullElse(organization.plan, "");
        return store.insertPlan(unit, organization.orgId, plan, event.occurredAt())
                .map(changed -> {
                    if (changed) {
                        toQueue.add(() -> queue.queueOrganization(unit, organization.orgId, month(event)));
                    }
                    return null;
                });
    }

    private static LocalDate month(Envelope event) {
        return LocalDate.ofInstant(event.occurredAt(), ZoneOffset.UTC).withDayOfMonth(1);
    }
}
