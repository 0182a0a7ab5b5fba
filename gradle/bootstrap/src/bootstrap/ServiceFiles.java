package bootstrap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;

/** Puts the files that name classes, plugin ids and services, into the jars that hold those classes. */
final class ServiceFiles {
    private static final String PLUGINS = "META-INF/gradle-plugins/";
    private static final String SERVICES = "META-INF/services/";

    /** Services of the JDK itself: on Gradle's system class path their providers would act on the whole process. */
    private static final String JDK_SERVICES = SERVICES + "java";

    private final ShadedJar source;
    private final JarSet jars;

    ServiceFiles(ShadedJar source, JarSet jars) {
        this.source = source;
        this.jars = jars;
    }

    void distribute() throws IOException {
        for (var entry : source.entries().entrySet()) {
            var path = entry.getKey();
            if (path.startsWith(PLUGINS)) {
                placePlugin(path, entry.getValue());
            } else if (path.startsWith(SERVICES) && !path.startsWith(JDK_SERVICES)) {
                splitService(path, new String(entry.getValue(), StandardCharsets.UTF_8));
            }
        }
    }

    private void placePlugin(String path, byte[] content) throws IOException {
        var className = ShadedJar.properties(content).getProperty("implementation-class").trim();
        jars.jarOfClass(className).ifPresent(jar -> jars.add(jar, path, content));
    }

    /** The shaded jar has one file per service with the providers of all modules; splits it by module. */
    private void splitService(String path, String content) {
        var providersByJar = new LinkedHashMap<String, StringBuilder>();
        content.lines()
                .map(line -> Shading.originalName(line.replaceAll("#.*", "").trim()))
                .forEach(provider -> jars.jarOfClass(provider).ifPresent(jar -> providersByJar
                        .computeIfAbsent(jar, key -> new StringBuilder())
                        .append(provider)
                        .append('\n')));
        providersByJar.forEach((jar, providers) -> jars.add(
                jar, Shading.originalName(path), providers.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
