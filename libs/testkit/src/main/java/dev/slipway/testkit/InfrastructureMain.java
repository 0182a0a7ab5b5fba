package dev.slipway.testkit;

import dev.slipway.contract.Json;

import java.io.IOException;

/** Runs the infrastructure of a build: prints its addresses as one line of JSON and ends with its standard input. */
public final class InfrastructureMain {
    private InfrastructureMain() {}

    public static void main(String[] args) throws IOException {
        var started = TestInfrastructure.start();
        System.out.println(Json.object().put("kafka", started.kafkaBootstrap()).put("database", started.databaseUrl()));
        System.out.flush();
        while (System.in.read() >= 0) {
            // Wait for the end of the input: it comes when the build ends, however it ends.
        }
        System.exit(0);
    }
}
