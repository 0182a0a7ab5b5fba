package dev.slipway.adapter;

/** Set while the host shuts down: no new work is started and nothing is retried. Used on the host's event loop only. */
final class ShutdownFlag {
    private boolean isSet;

    boolean isSet() {
        return isSet;
    }

    void set() {
        isSet = true;
    }
}
