package dev.slipway.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import dev.slipway.contract.Json;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * A child process that replies to lines with lines. Its output is copied to a log as it arrives, so that it never blocks on a full
 * pipe. It ends when its input ends.
 */
final class MeasuredProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;
    private static final String LOGGED = "{\"at\":";
    private static final String END = "\u0004"; // no line of text is

    private final String name;
    private final Process process;
    private final BufferedWriter in;
    private final Path log;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    MeasuredProcess(String name, Path directory, List<String> command) {
        this.name = name;
        this.log = directory.resolve(name + ".log");
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        in = process.outputWriter(StandardCharsets.UTF_8);
        var reader = new Thread(this::read, "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a main class on this class path. */
    static MeasuredProcess java(String name, Path directory, List<String> jvm, Class<?> main, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new MeasuredProcess(name, directory, command);
    }

    long pid() {
        return process.pid();
    }

    JsonNode send(JsonNode question) {
        try {
            in.write(Json.text(question));
            in.newLine();
            in.flush();
        } catch (IOException e) {
            throw new IllegalStateException(name + " has ended; see " + log, e);
        }
        return readReply();
    }

    JsonNode readReply() {
        return Json.parseTrusted(awaitLine("{\"").getBytes(StandardCharsets.UTF_8));
    }

    /** Waits for a line of output with the text, and returns it. */
    String awaitLine(String text) {
        try {
            for (var line = lines.take(); !line.equals(END); line = lines.take()) {
                if (line.contains(text)) {
                    return line;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException(name + " ended without an answer; see " + log);
    }

    private void read() {
        try (var out = process.inputReader(StandardCharsets.UTF_8);
                var kept = Files.newBufferedWriter(log, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                kept.write(line);
                kept.newLine();
                if (!line.startsWith(LOGGED)) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            BenchOutput.note("the output of " + name + ": " + e);
        }
        lines.add(END);
    }

    /** Returns the processor time of the process in seconds, without that of its running child processes. */
    double ownCpuSeconds() {
        return cpuSeconds(process.pid());
    }

    /** Returns the processor time in seconds of the process and its children, including those that have ended. */
    double cpuSeconds() {
        return process.descendants()
                        .mapToDouble(child -> cpuSeconds(child.pid()))
                        .sum()
                + cpuSeconds(process.pid());
    }

    /** Returns the processor time of the JIT compiler threads in seconds. */
    double compilerSeconds() {
        try (var threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return threads.map(thread -> statOf(thread.resolve("stat")))
                    .filter(stat -> stat.contains(" CompilerThre")) // the kernel keeps fifteen letters of a name
                    .mapToDouble(MeasuredProcess::secondsOf)
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double cpuSeconds(long pid) {
        return secondsOf(statOf(Path.of("/proc/" + pid + "/stat")));
    }

    /** Empty if the process has ended; its parent then has its time. */
    private static String statOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static double secondsOf(String stat) {
        if (stat.isEmpty()) {
            return 0;
        }
        // After the name, which may have spaces: utime, stime, cutime and cstime are the 12th to 15th, in hundredths of
        // a second.
        var field = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return IntStream.range(11, 15)
                        .mapToDouble(i -> Double.parseDouble(field[i]))
                        .sum()
                / 100;
    }

    /** Returns the resident memory of the process in MiB. */
    double residentMib() {
        return residentMib(process.pid());
    }

    /** Returns the memory of its child processes in MiB; shared pages count once. */
    double descendantsProportionalMib() {
        return process.descendants()
                        .mapToDouble(child -> statusKib("/proc/" + child.pid() + "/smaps_rollup", "Pss:"))
                        .sum()
                / 1024;
    }

    private static double residentMib(long pid) {
        return statusKib("/proc/" + pid + "/status", "VmRSS:") / 1024;
    }

    private static double statusKib(String file, String field) {
        try {
            return Files.readAllLines(Path.of(file)).stream()
                    .filter(line -> line.startsWith(field))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D+", "")))
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // gone meanwhile
        }
    }

    @Override
    public void close() {
        try {
            in.close();
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                process.destroy();
            }
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                var killed = process.destroyForcibly();
                BenchOutput.note(name + " did not stop; killed " + killed.pid());
            }
        } catch (IOException e) {
            process.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
