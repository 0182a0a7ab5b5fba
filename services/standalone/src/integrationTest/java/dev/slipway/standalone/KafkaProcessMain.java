package dev.slipway.standalone;

import dev.slipway.embedded.EmbeddedKafka;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/** Runs a broker as a separate process: {@code directory port}. */
final class KafkaProcessMain {
    private KafkaProcessMain() {}

    public static void main(String[] arguments) throws IOException {
        var kafka = EmbeddedKafka.start(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
        System.out.println("takes records at " + kafka.bootstrap());
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }
}
