package dev.slipway.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * Kafka and PostgreSQL as a process of their own, for a build that shares them between its tests.
 *
 * <p>Prints one line of JSON when both are ready, and stops at the end of its standard input or on SIGTERM: whoever
 * started it cannot leave it behind.
 */
public final class EmbeddedMain {
    private EmbeddedMain() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: EmbeddedMain <directory>");
            System.exit(2);
        }
        try {
            var infrastructure = Infrastructure.start(Path.of(arguments[0]), 0, 0);
            Runtime.getRuntime().addShutdownHook(new Thread(infrastructure::close, "embedded-stop"));
            System.out.println(
                    "{\"kafka_bootstrap\":\"" + infrastructure.kafka().bootstrap() + "\",\"database_url\":\""
                            + infrastructure.postgres().uri() + "\"}");
        } catch (EmbeddedException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }
}
