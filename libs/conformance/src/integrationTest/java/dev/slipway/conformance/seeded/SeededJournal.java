package dev.slipway.conformance.seeded;

import dev.slipway.contract.Envelope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;

/** Stores accepted commands and other facts of the seeded adapter as files. */
final class SeededJournal {
    private final Path open;
    private final Path done;
    private final Path facts;

    SeededJournal(Path home) throws IOException {
        open = Files.createDirectories(home.resolve("open"));
        done = Files.createDirectories(home.resolve("done"));
        facts = Files.createDirectories(home.resolve("facts"));
    }

    /** Returns false if the command is known. */
    boolean add(String key, Envelope command) throws IOException {
        if (Files.exists(open.resolve(key)) || Files.exists(done.resolve(key))) {
            return false;
        }
        write(open.resolve(key), command.toBytes());
        return true;
    }

    void done(String key) throws IOException {
        if (Files.exists(open.resolve(key))) {
            Files.move(open.resolve(key), done.resolve(key), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Returns the unfinished commands, oldest first. */
    List<Envelope> open() throws IOException {
        try (var files = Files.list(open)) {
            var commands = new java.util.ArrayList<Envelope>();
            for (var file : files.filter(f -> !f.toString().endsWith(".tmp")).toList()) {
                commands.add(Envelope.fromBytes(Files.readAllBytes(file)));
            }
            commands.sort(Comparator.comparing(Envelope::occurredAt));
            return commands;
        }
    }

    /** Stores the value unless the name has one, and returns the stored value. */
    synchronized String remember(String name, String value) throws IOException {
        var file = facts.resolve(name);
        if (!Files.exists(file)) {
            write(file, value.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return Files.readString(file);
    }

    /** Returns the highest generation seen of the instance, including this one. */
    synchronized int generation(String instance, int seen) throws IOException {
        var file = facts.resolve("generation-" + instance);
        var highest = Files.exists(file) ? Math.max(seen, Integer.parseInt(Files.readString(file))) : seen;
        write(file, String.valueOf(highest).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return highest;
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        var temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.write(temporary, bytes);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
