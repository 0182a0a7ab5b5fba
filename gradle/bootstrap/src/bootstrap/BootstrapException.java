package bootstrap;

/** Something went wrong that can be told to the user in one sentence: the message is that sentence's end. */
final class BootstrapException extends Exception {
    private static final long serialVersionUID = 1L;

    BootstrapException(String message) {
        super(message);
    }
}
