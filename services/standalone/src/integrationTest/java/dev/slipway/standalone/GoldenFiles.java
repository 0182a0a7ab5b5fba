package dev.slipway.standalone;

import org.assertj.core.util.diff.DiffUtils;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The recorded files of a tour: compared with a new recording, or replaced by it with {@code -Dslipway.golden.record=true}. */
record GoldenFiles(Path directory) {
    private static final int CONTEXT_LINES = 4;

    static boolean isRecording() {
        return Boolean.getBoolean("slipway.golden.record");
    }

    void compareOrRecord(Map<String, String> recorded) {
        try {
            if (isRecording()) {
                replace(recorded);
            } else {
                compare(recorded);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compare(Map<String, String> recorded) throws IOException {
        var expected = read();
        assertThat(recorded.keySet()).containsExactlyInAnyOrderElementsOf(expected.keySet());
        var differences = new ArrayList<String>();
        for (var file : expected.entrySet()) {
            var before = List.of(file.getValue().split("\n", -1));
            var after = List.of(recorded.get(file.getKey()).split("\n", -1));
            differences.addAll(DiffUtils.generateUnifiedDiff(
                    "golden/" + file.getKey(),
                    "recorded/" + file.getKey(),
                    before,
                    DiffUtils.diff(before, after),
                    CONTEXT_LINES));
        }
        if (!differences.isEmpty()) {
            throw new AssertionError(
                    "Responses, events or commands differ from the golden files:\n" + String.join("\n", differences));
        }
    }

    private void replace(Map<String, String> recorded) throws IOException {
        Files.createDirectories(directory);
        for (var old : read().keySet()) {
            Files.delete(directory.resolve(old));
        }
        for (var file : recorded.entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue());
        }
    }

    private Map<String, String> read() throws IOException {
        var files = new TreeMap<String, String>();
        try (var list = Files.list(directory)) {
            for (var file : list.toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }
}
