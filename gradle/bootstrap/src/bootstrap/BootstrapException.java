package bootstrap;

/** A failure with a one-sentence message for the user. */
final class BootstrapException extends Exception {
    private static final long serialVersionUID = 1L;

    BootstrapException(String message) {
        super(message);
    }
}
