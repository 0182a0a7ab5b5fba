package bootstrap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Provides stubs for modules that are not published and not in the shaded jar, but which Gradle requires.
 * Two modules get stub classes; the others are looked up by name only, so an empty jar is enough.
 */
final class MissingModules {
    private static final Map<String, String> MODULE_OF_STUBS = Map.of(
            "org/gradle/internal/installation/", "gradle-installation-beacon",
            "org/gradle/internal/compiler/", "gradle-java-compiler-plugin");

    private static final String KOTLIN_PLUGINS = "gradle-kotlin-dsl-provider-plugins";

    private static final List<String> MODULES = List.of(
            "gradle-installation-beacon", "gradle-java-compiler-plugin", "gradle-instrumentation-agent",
            "gradle-build-profile", KOTLIN_PLUGINS, "gradle-kotlin-dsl-tooling-builders", "gradle-test-kit");

    /** Libraries that are looked up as files although their classes are in another jar or are not used. */
    private static final List<String> LIBRARIES_LOOKED_UP =
            List.of("groovy", "javaparser-core", "jul-to", "jcl-over", "log4j-over", "file-events");

    private final ShadedJar source;
    private final Distribution target;

    MissingModules(ShadedJar source, Distribution target) {
        this.source = source;
        this.target = target;
    }

    void add(Path compiledStubs) throws IOException {
        MODULES.forEach(this::addModule);
        // in the original it is the Kotlin DSL that brings this one into worker processes, where Checkstyle needs it
        source.modules().get(KOTLIN_PLUGINS).setProperty("projects", "gradle-toolchains-jvm-shared");
        addStubs(compiledStubs);
        addLibraries();
        addKotlinVersion();
    }

    private void addModule(String module) {
        source.modules().putIfAbsent(module, new Properties());
        target.jars().create(target.jarOfModule(module));
    }

    private void addStubs(Path compiledStubs) throws IOException {
        List<Path> classes;
        try (var files = Files.walk(compiledStubs)) {
            classes = files.filter(Files::isRegularFile).toList();
        }
        for (var file : classes) {
            var path = compiledStubs.relativize(file).toString().replace(File.separatorChar, '/');
            for (var entry : MODULE_OF_STUBS.entrySet()) {
                if (path.startsWith(entry.getKey())) {
                    target.jars().add(target.jarOfModule(entry.getValue()), path, Files.readAllBytes(file));
                }
            }
        }
    }

    private void addLibraries() {
        source.libraries().forEach((name, jar) -> {
            var lookedUp = LIBRARIES_LOOKED_UP.stream().anyMatch(name::startsWith);
            if (lookedUp && !Files.exists(target.lib().resolve(jar + ".jar"))) {
                target.jars().create(jar);
            }
        });
    }

    /** {@code gradle --version} reads the version of Kotlin from a file of a module that is not installed. */
    private void addKotlinVersion() {
        var jar = source.libraries().getOrDefault("kotlin-stdlib", "kotlin-stdlib-unknown");
        target.jars().replace(
                target.jarOfModule("gradle-core"),
                "gradle-kotlin-dsl-versions.properties",
                "kotlin=" + jar.substring("kotlin-stdlib-".length()) + "\n");
    }
}
