package dev.slipway.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the programs of tests are started. They live for seconds and there are a hundred in a build: what a JVM does at its start to be
 * fast or safe in the long run, it never gets back.
 */
public final class ShortLivedJvm {
    public static final List<String> OPTIONS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            // Classes that the compiler wrote a minute ago, or that a thousand JVMs have verified before.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote");

    private ShortLivedJvm() {}

    /** The command, with this JVM's classes, up to the name of the program. */
    public static List<String> command(int heapMib) {
        return command(heapMib, System.getProperty("java.class.path"));
    }

    public static List<String> command(int heapMib, String classpath) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMib + "m");
        command.addAll(OPTIONS);
        command.addAll(List.of(NativeRsa.option(), "-cp", classpath));
        return List.copyOf(command);
    }

    /** The same for a shell. */
    public static String line(int heapMib) {
        var command = command(heapMib);
        var last = command.size() - 1;
        return String.join(" ", command.subList(0, last)) + " '" + command.get(last) + "'";
    }
}
