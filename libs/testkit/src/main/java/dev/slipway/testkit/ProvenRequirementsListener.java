package dev.slipway.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes the requirement rows that passing tests prove to a file, for {@code ./gradlew requirements}. */
public final class ProvenRequirementsListener implements TestExecutionListener {
    private static final String FILE = "slipway.proven";

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        var file = System.getProperty(FILE);
        if (file == null || !test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
            return;
        }
        test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(source -> source.getJavaMethod().getAnnotation(Proves.class))
                .ifPresent(proves -> write(Path.of(file), proves.value()));
    }

    private static void write(Path file, String[] rows) {
        try {
            Files.write(file, java.util.List.of(rows), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
