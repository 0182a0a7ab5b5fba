package dev.slipway.adapter;

/** Whether the host is on its way out: nothing new is begun then, and nothing is waited for. Used on the host's event loop. */
final class Stopping {
    private boolean begun;

    boolean begun() {
        return begun;
    }

    void begin() {
        begun = true;
    }
}
