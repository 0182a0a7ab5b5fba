package dev.slipway.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builds the command lines of test programs. They live for seconds: long-term optimizations of a JVM would never pay off. */
public final class ShortLivedJvm {
    public static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            // Classes that the compiler wrote a minute ago, or that a thousand JVMs have verified before.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote");

    private ShortLivedJvm() {}

    /** Returns the command with this JVM's class path, up to the main class. */
    public static List<String> command(int heapMib) {
        return command(heapMib, System.getProperty("java.class.path"));
    }

    public static List<String> command(int heapMib, String classpath) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMib + "m");
        command.addAll(OPTIONS);
        command.addAll(List.of(NativeRsa.findOption(), "-cp", classpath));
        return List.copyOf(command);
    }

    /** Returns the command line for a shell. */
    public static String line(int heapMib) {
        var command = command(heapMib);
        var last = command.size() - 1;
        return String.join(" ", command.subList(0, last)) + " '" + command.get(last) + "'";
    }
}
