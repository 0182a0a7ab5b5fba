package bootstrap;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** The jars being assembled, each named without ".jar", and the jar of each class. */
final class JarSet {
    private static final String CLASS = ".class";
    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    private static final LocalDateTime SAME_TIME_FOR_ALL = LocalDateTime.of(1980, 2, 1, 0, 0);

    private final Map<String, Map<String, byte[]>> jars = new LinkedHashMap<>();
    private final Map<String, String> jarOfClass = new HashMap<>();

    /** Makes sure there is such a jar, be it empty. */
    void create(String jar) {
        jars.computeIfAbsent(jar, key -> new HashMap<>());
    }

    /** Adds an entry unless the jar has it already. */
    void add(String jar, String path, byte[] content) {
        create(jar);
        if (path.endsWith(CLASS)) {
            jars.get(jar).putIfAbsent(path, Shading.restoreClass(content));
            jarOfClass.put(path.substring(0, path.length() - CLASS.length()).replace('/', '.'), jar);
        } else {
            jars.get(jar).putIfAbsent(path, content);
        }
    }

    void replace(String jar, String path, String content) {
        create(jar);
        jars.get(jar).put(path, content.getBytes(StandardCharsets.UTF_8));
    }

    Optional<String> jarOfClass(String className) {
        return Optional.ofNullable(jarOfClass.get(className));
    }

    Set<String> names() {
        return jars.keySet();
    }

    void write(Path directory) throws IOException {
        for (var jar : jars.entrySet()) {
            write(directory.resolve(jar.getKey() + ".jar"), jar.getValue());
        }
    }

    private static void write(Path file, Map<String, byte[]> entries) throws IOException {
        try (var out = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 20))) {
            out.setMethod(ZipOutputStream.STORED); // packing would take longer than all the rest
            var paths = entries.keySet().stream()
                    .sorted(Comparator.comparing((String path) -> !path.equals(MANIFEST)).thenComparing(path -> path))
                    .toList();
            var directories = new HashSet<String>();
            for (var path : paths) {
                // as in ordinary jars, since looking up a package as a resource needs an entry for its directory
                for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
                    if (directories.add(path.substring(0, slash + 1))) {
                        writeEntry(out, path.substring(0, slash + 1), new byte[0]);
                    }
                }
                writeEntry(out, path, entries.get(path));
            }
            if (paths.isEmpty()) {
                writeEntry(out, "META-INF/", new byte[0]); // some readers refuse an archive without any entry
            }
        }
    }

    private static void writeEntry(ZipOutputStream out, String path, byte[] content) throws IOException {
        var crc = new CRC32();
        crc.update(content);
        var entry = new ZipEntry(path);
        entry.setTimeLocal(SAME_TIME_FOR_ALL);
        entry.setSize(content.length);
        entry.setCompressedSize(content.length);
        entry.setCrc(crc.getValue());
        out.putNextEntry(entry);
        out.write(content);
        out.closeEntry();
    }
}
