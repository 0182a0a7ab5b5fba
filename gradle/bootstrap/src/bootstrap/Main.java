package bootstrap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps that bootstrap.sh has done in Java, given the bootstrap's own directory and a working directory. When one
 * fails, the reason goes to the standard output, and details that only help in looking for a bug to the error output.
 */
final class Main {
    private final Path work;
    private final Path launcher;
    private final List<Artifact> artifacts;
    private final Artifact api;

    private Main(Path bootstrap, Path work) throws IOException, BootstrapException {
        this.work = work;
        this.launcher = bootstrap.resolve("launcher.sh");
        this.artifacts = Artifact.readAll(bootstrap.resolve("artifacts.txt"));
        this.api = artifacts.stream()
                .filter(artifact -> artifact.name().equals("gradle-api"))
                .findFirst()
                .orElseThrow(() -> new BootstrapException("artifacts.txt has no gradle-api"));
    }

    public static void main(String[] args) {
        try {
            var main = new Main(Path.of(args[1]), Path.of(args[2]));
            switch (args[0]) {
                case "verify" -> main.verify();
                case "assemble" -> main.assemble();
                case "install" -> main.install(Path.of(args[3]), Path.of(args[4]), Path.of(args[5]));
                default -> throw new BootstrapException("there is no step " + args[0]);
            }
        } catch (BootstrapException e) {
            fail(e.getMessage());
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
            fail(e.toString());
        }
    }

    private static void fail(String reason) {
        System.out.println(reason);
        System.exit(1);
    }

    private void verify() throws IOException, BootstrapException {
        for (var artifact : artifacts) {
            artifact.verifyIn(jars());
        }
    }

    private void assemble() throws IOException {
        var plainJars = new ArrayList<Path>();
        for (var artifact : artifacts) {
            if (!artifact.equals(api)) {
                plainJars.add(jars().resolve(artifact.fileName()));
            }
        }
        new Distribution(api.version(), made()).assemble(apiJar(), plainJars, work.resolve("stubs"), launcher);
    }

    private void install(Path home, Path marker, Path userHome) throws IOException {
        var seeds = userHome.resolve("caches").resolve(api.version()).resolve("generated-gradle-jars");
        Installer.seedApiJar(apiJar(), seeds.resolve(api.fileName()));
        Installer.install(made(), home, marker);
    }

    private Path jars() {
        return work.resolve("jars");
    }

    private Path apiJar() {
        return jars().resolve(api.fileName());
    }

    private Path made() {
        return work.resolve("gradle");
    }
}
