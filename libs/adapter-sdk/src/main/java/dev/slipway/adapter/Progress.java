package dev.slipway.adapter;

import io.vertx.core.Future;

/** A command being carried out, as its adapter sees it. For the event loop that the adapter was called on. */
public interface Progress {

    /** Tells whoever waits for a deployment what it waits for. Done when the message is safe; it is sent as soon as possible. */
    Future<Void> say(String message);

    /**
     * Done when the instance is to be deleted meanwhile. An adapter that watches for it can end a long deployment early, with any
     * outcome: the outcome is not reported, the delete follows.
     */
    Future<Void> cancelled();
}
