package bootstrap;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipInputStream;

/**
 * The published gradle-api jar, which is what Gradle generates for {@code gradleApi()}: nearly all of its modules and
 * the libraries they use, merged into one file, the libraries moved to packages below
 * {@code org.gradle.internal.impldep}.
 *
 * @param entries   path to content, in the order of the file, which {@link Splitter} depends on
 * @param modules   module name such as gradle-core to its description: the jars and modules it asks for
 * @param libraries library name to the name with the version that the modules ask for: guava to guava-32.1.2-jre
 */
record ShadedJar(Map<String, byte[]> entries, Map<String, Properties> modules, Map<String, String> libraries) {
    private static final Pattern DESCRIPTION = Pattern.compile("(gradle-[a-z0-9-]+)-classpath\\.properties");
    private static final Pattern LIBRARY = Pattern.compile("(([A-Za-z0-9._-]+?)-\\d.*)\\.jar");

    static ShadedJar read(Path file) throws IOException {
        var jar = new ShadedJar(new LinkedHashMap<>(), new LinkedHashMap<>(), new TreeMap<>());
        try (var in = new ZipInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 20))) {
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (!entry.isDirectory()) {
                    jar.entries.putIfAbsent(entry.getName(), in.readAllBytes());
                }
            }
        }
        for (var entry : jar.entries.entrySet()) {
            var module = moduleDescribedBy(entry.getKey());
            if (module.isPresent()) {
                jar.describe(module.get(), properties(entry.getValue()));
            }
        }
        return jar;
    }

    /** The module, if the path is that of a module's description. */
    static Optional<String> moduleDescribedBy(String path) {
        var matcher = DESCRIPTION.matcher(path);
        return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    static Properties properties(byte[] content) throws IOException {
        var properties = new Properties();
        properties.load(new ByteArrayInputStream(content));
        return properties;
    }

    private void describe(String module, Properties description) {
        modules.put(module, description);
        for (var jar : description.getProperty("runtime", "").split(",")) {
            var matcher = LIBRARY.matcher(jar.trim());
            if (matcher.matches()) {
                libraries.put(matcher.group(2), matcher.group(1));
            }
        }
    }
}
