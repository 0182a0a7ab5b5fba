package dev.slipway.standalone.container;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the Docker command line, and builds the images that do not exist locally and cannot be pulled. */
final class DockerCli {
    static final Path ROOT = Path.of("../..");
    private static final Path IMAGES = Path.of(System.getProperty("slipway.container.images"));
    private static final String JRE = "eclipse-temurin:17-jre";

    private DockerCli() {}

    /** Returns the output of the command. Throws if it fails. */
    @CanIgnoreReturnValue
    static String run(String... arguments) {
        var result = execute(arguments);
        if (result.exitCode != 0) {
            throw new AssertionError(
                    String.join(" ", arguments) + " failed with status " + result.exitCode + ":\n" + result.output);
        }
        return result.output.strip();
    }

    @CanIgnoreReturnValue
    static String compose(String... arguments) {
        var all = new ArrayList<>(List.of(
                "docker",
                "compose",
                "-f",
                ROOT.resolve("compose/docker-compose.yaml").toString()));
        all.addAll(List.of(arguments));
        return run(all.toArray(String[]::new));
    }

    /** Makes the images of the compose file available that a test needs. */
    static void prepareImages(String kafka, String postgres) {
        if (!isAvailable(JRE)) {
            run(
                    IMAGES.resolve("jre/build.sh").toString(),
                    JRE,
                    IMAGES.resolve("jre/root").toString());
        }
        for (var image : List.of(kafka, postgres)) {
            if (!isAvailable(image)) {
                var context = IMAGES.resolve(image.contains("kafka") ? "kafka" : "postgres");
                run("docker", "build", "--quiet", "--tag", image, context.toString());
            }
        }
    }

    private static boolean isAvailable(String image) {
        return execute("docker", "image", "inspect", image).exitCode == 0
                || execute("docker", "pull", "--quiet", image).exitCode == 0;
    }

    private record Result(int exitCode, String output) {}

    private static Result execute(String... command) {
        try {
            var output = Files.createTempFile("docker", ".out");
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(15, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new AssertionError(String.join(" ", command) + " did not end");
            }
            var text = Files.readString(output);
            Files.delete(output);
            return new Result(process.exitValue(), text);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
