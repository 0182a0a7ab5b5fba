package dev.slipway.benchmarks;

/** What the person who waits reads, and the one line that a child answers with. */
final class Console {
    private Console() {}

    static void note(String line) {
        System.err.println(line);
    }

    static void print(String text) {
        System.out.println(text);
        System.out.flush();
    }
}
