package dev.slipway.benchmarks;

/** Prints notes for the user, and the one-line replies of child processes. */
final class BenchOutput {
    private BenchOutput() {}

    static void note(String line) {
        System.err.println(line);
    }

    static void print(String text) {
        System.out.println(text);
        System.out.flush();
    }
}
