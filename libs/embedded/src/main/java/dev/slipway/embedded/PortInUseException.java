package dev.slipway.embedded;

/** A port that was asked for belongs to another process; only the caller knows the setting that it came from. */
public final class PortInUseException extends EmbeddedException {
    private final int port;

    public PortInUseException(int port) {
        super("port " + port + " is already in use");
        this.port = port;
    }

    public int port() {
        return port;
    }

    /** The whole sentence: what is wrong, and which setting puts it right. */
    public String advice(String setting) {
        return getMessage() + "; set " + setting + " to another, or 0 for a free one";
    }
}
