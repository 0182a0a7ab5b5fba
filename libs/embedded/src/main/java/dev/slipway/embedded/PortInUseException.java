package dev.slipway.embedded;

/** A configured port is in use by another process. */
public final class PortInUseException extends EmbeddedException {
    private final int port;

    public PortInUseException(int port) {
        super("port " + port + " is already in use");
        this.port = port;
    }

    public int port() {
        return port;
    }

    /** Returns the error and the setting that fixes it, which only the caller knows. */
    public String advice(String setting) {
        return getMessage() + "; set " + setting + " to another, or 0 for a free one";
    }
}
