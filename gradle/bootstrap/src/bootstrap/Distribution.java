package bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The Gradle installation being assembled. */
final class Distribution {
    private final String version;
    private final Path home;
    private final JarSet jars = new JarSet();

    Distribution(String version, Path home) {
        this.version = version;
        this.home = home;
    }

    JarSet jars() {
        return jars;
    }

    Path lib() {
        return home.resolve("lib");
    }

    String jarOfModule(String module) {
        return module + "-" + version;
    }

    void assemble(Path shadedJar, List<Path> plainJars, Path compiledStubs, Path launcher) throws IOException {
        // an official installation has jars in these two as well; here all of them are in lib, where Gradle looks first
        Files.createDirectories(lib().resolve("plugins"));
        Files.createDirectories(lib().resolve("agents"));
        for (var jar : plainJars) {
            Files.copy(jar, lib().resolve(jar.getFileName()));
        }
        var source = ShadedJar.read(shadedJar);
        new Splitter(source, this).split();
        new ServiceFiles(source, jars).distribute();
        new MissingModules(source, this).add(compiledStubs);
        new ModuleDescriptions(source, this).write();
        jars.write(lib());
        writeLauncher(launcher);
        // the agent that instruments classes while they are loaded is not published; without it Gradle does so before
        Files.writeString(home.resolve("gradle.properties"), "org.gradle.internal.instrumentation.agent=false\n");
    }

    private void writeLauncher(Path template) throws IOException {
        var script = home.resolve("bin/gradle");
        Files.createDirectories(script.getParent());
        Files.writeString(script, Files.readString(template).replace("@VERSION@", version));
        if (!script.toFile().setExecutable(true, false)) {
            throw new IOException("cannot make " + script + " executable");
        }
    }
}
