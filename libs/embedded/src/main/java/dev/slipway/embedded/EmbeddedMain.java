package dev.slipway.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * Runs Kafka and PostgreSQL in a separate process, which a build shares between its tests.
 *
 * <p>Prints one line of JSON when both are ready. Stops on SIGTERM and when its standard input is closed, so it cannot outlive its parent.
 */
public final class EmbeddedMain {
    private EmbeddedMain() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: EmbeddedMain <directory>");
            System.exit(2);
        }
        try {
            var embeddedInfrastructure = EmbeddedInfrastructure.start(Path.of(arguments[0]), 0, 0);
            Runtime.getRuntime().addShutdownHook(new Thread(embeddedInfrastructure::close, "embedded-stop"));
            System.out.println(
                    "{\"kafka_bootstrap\":\"" + embeddedInfrastructure.kafka().bootstrap() + "\",\"database_url\":\""
                            + embeddedInfrastructure.postgres().uri() + "\"}");
        } catch (EmbeddedException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }
}
