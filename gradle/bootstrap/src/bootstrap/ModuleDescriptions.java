package bootstrap;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashSet;
import java.util.Properties;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rewrites the modules' descriptions so that they ask only for what is installed, and the launcher's class path. */
final class ModuleDescriptions {
    /** Libraries merged by the shading are all seen through the core module, which every other one depends on. */
    private static final Predicate<String> SEEN_THROUGH_CORE = Pattern.compile(
            "(groovy|asm|kryo|slf4j|javax|jsr305|native|file-events|jansi|commons-lang|kotlin|annotations|ant).*\\.jar")
            .asMatchPredicate();

    private static final Predicate<String> NEEDED_TO_LAUNCH = Pattern.compile(
            "gradle-(?!launcher).*|(slf4j-api|guava|asm|commons-lang|javax.inject|native-platform|kryo|jsr305)-\\d.*")
            .asMatchPredicate();

    private final ShadedJar source;
    private final Distribution target;
    private final Set<String> installed = new LinkedHashSet<>();

    ModuleDescriptions(ShadedJar source, Distribution target) throws IOException {
        this.source = source;
        this.target = target;
        target.jars().names().forEach(jar -> installed.add(jar + ".jar"));
        try (var files = Files.list(target.lib())) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .forEach(installed::add);
        }
    }

    void write() throws IOException {
        source.modules().forEach((module, description) -> target.jars().replace(
                target.jarOfModule(module), module + "-classpath.properties", describe(module, description)));
        target.jars().replace(target.jarOfModule("gradle-launcher"), "META-INF/MANIFEST.MF", launcherManifest());
    }

    private String describe(String module, Properties original) {
        var runtime = list(original, "runtime").filter(installed::contains)
                .collect(Collectors.toCollection(LinkedHashSet::new));
        runtime.add(source.libraries().get(Splitter.CARRIER) + ".jar");
        if (module.equals("gradle-core")) {
            installed.stream().filter(SEEN_THROUGH_CORE).forEach(runtime::add);
        }
        return "runtime=" + String.join(",", runtime) + "\n"
                + "projects=" + knownModules(original, "projects") + "\n"
                + "optional=" + knownModules(original, "optional") + "\n";
    }

    private String knownModules(Properties original, String key) {
        return list(original, key).filter(source.modules()::containsKey).collect(Collectors.joining(","));
    }

    private static Stream<String> list(Properties properties, String key) {
        return Stream.of(properties.getProperty(key, "").split(",")).map(String::trim);
    }

    private String launcherManifest() throws IOException {
        var manifest = new Manifest();
        var attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, "org.gradle.launcher.GradleMain");
        attributes.put(
                Attributes.Name.CLASS_PATH,
                installed.stream().filter(NEEDED_TO_LAUNCH).collect(Collectors.joining(" ")));
        var out = new ByteArrayOutputStream();
        manifest.write(out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
