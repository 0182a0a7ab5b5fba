package bootstrap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Sorts the entries of the shaded jar back into one jar for each module and into the jars of the libraries. */
final class Splitter {
    private static final String CORE = "gradle-core";

    /** The library that also carries the classes of all libraries which nothing asks for by the name of their jar. */
    static final String CARRIER = "guava";

    /** Packages that must be in a jar of their own, because Gradle looks it up by name. The first match counts. */
    private static final List<Map.Entry<String, String>> LIBRARY_OF_PREFIX = List.of(
            Map.entry("net/rubygrapefruit/", "native-platform"),
            Map.entry("org/slf4j/", "slf4j-api"),
            Map.entry("org/apache/log4j/", "slf4j-api"),
            Map.entry("org/apache/commons/logging/", "slf4j-api"),
            Map.entry("javax/inject/", "javax.inject"),
            Map.entry("javax/annotation/", "jsr305"),
            Map.entry("org/objectweb/asm/", "asm"),
            Map.entry("com/esotericsoftware/", "kryo"),
            Map.entry("org/objenesis/", "kryo"),
            Map.entry("org/apache/commons/lang/", "commons-lang"),
            Map.entry("org/fusesource/", "jansi"),
            Map.entry("META-INF/native/", "jansi"),
            Map.entry("org/junit/platform/commons/", "junit-platform-commons"),
            Map.entry("org/junit/platform/engine/", "junit-platform-engine"),
            Map.entry("org/junit/platform/launcher/", "junit-platform-launcher"),
            Map.entry("org/opentest4j/", "opentest4j"),
            Map.entry("org/junit/", "junit"),
            Map.entry("junit/", "junit"),
            Map.entry("org/hamcrest/", "hamcrest-core"),
            Map.entry("org/testng/", "testng"),
            Map.entry("com/beust/", "testng"),
            Map.entry("bsh/", "testng"));

    /** Groovy and Ant are in the shaded jar but are installed as the pinned artifacts; the rest comes with the JDK. */
    private static final List<String> LEFT_OUT = List.of(
            "groovy/", "org/codehaus/groovy/", "org/apache/groovy/", "org/apache/tools/ant/",
            "javax/xml/", "org/w3c/", "org/xml/");

    private final ShadedJar source;
    private final Distribution target;

    /** Entries whose module is not known yet. */
    private final List<String> pending = new ArrayList<>();
    private String module = CORE;

    /** True if a class followed the last module description: the next module has begun. */
    private boolean nextModuleBegun;

    Splitter(ShadedJar source, Distribution target) {
        this.source = source;
        this.target = target;
    }

    /**
     * Nothing in the shaded jar says which module an entry was in, but its order does: the entries of one module stand
     * together, first the classes, then the module's description, then other resources.
     */
    void split() {
        for (var path : source.entries().keySet()) {
            var described = ShadedJar.moduleDescribedBy(path);
            if (described.isPresent()) {
                module = described.get();
                target.jars().create(target.jarOfModule(module));
                flushPending();
                nextModuleBegun = false;
            } else {
                place(path);
            }
        }
        flushPending();
    }

    private void place(String path) {
        var original = Shading.originalPath(path);
        if (original.isPresent()) {
            if (!original.get().startsWith("META-INF/")) {
                addToLibrary(original.get(), path);
            }
        } else if (path.startsWith("org/gradle/") || path.startsWith("org/slf4j/impl/")) {
            placeOwn(path);
        } else if (path.startsWith("META-INF/native/")) {
            addToLibrary(path, path);
        } else if (path.startsWith("META-INF/")) {
            return; // what matters in there is placed by ServiceFiles
        } else if (path.indexOf('/') < 0) {
            addToModule(path.endsWith("-parameter-names.properties") ? module : CORE, path);
        } else if (LEFT_OUT.stream().noneMatch(path::startsWith)) {
            addToLibrary(path, path);
        }
    }

    private void placeOwn(String path) {
        nextModuleBegun |= path.endsWith(".class");
        if (nextModuleBegun) {
            pending.add(path);
        } else {
            addToModule(module, path);
        }
    }

    private void flushPending() {
        pending.forEach(path -> addToModule(module, path));
        pending.clear();
    }

    private void addToModule(String owner, String path) {
        target.jars().add(target.jarOfModule(owner), path, source.entries().get(path));
    }

    private void addToLibrary(String path, String shadedPath) {
        var library = LIBRARY_OF_PREFIX.stream()
                .filter(entry -> path.startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(CARRIER);
        target.jars().add(source.libraries().get(library), path, source.entries().get(shadedPath));
    }
}
