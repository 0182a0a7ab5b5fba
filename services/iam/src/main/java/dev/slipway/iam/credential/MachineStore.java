package dev.slipway.iam.credential;

import dev.slipway.iam.revision.Revision;
import dev.slipway.messaging.UnitOfWork;
import io.vertx.core.Future;

import java.util.UUID;

/** Keeps the machines of one kind, each in its place; another place's machine is not found. */
public interface MachineStore<M> {
    Future<M> find(UUID placeId, UUID id);

    Future<M> lock(UnitOfWork unit, UUID placeId, UUID id);

    /** Adds it and announces it; fails if there is no room for it. */
    Future<Void> add(UnitOfWork unit, M made);

    /** Stores what became of one that is locked, and announces it. */
    void change(UnitOfWork unit, Revision revision, M next);
}
