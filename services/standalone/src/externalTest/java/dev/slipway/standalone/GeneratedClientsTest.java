package dev.slipway.standalone;

import dev.slipway.contract.Contract;
import dev.slipway.testkit.ShortLivedJvm;
import dev.slipway.testkit.SimulatedAdapter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Generates clients from the published contract, compiles them and completes a journey with each. Needs the system packages nodejs, npm,
 * python3 and golang-go, and the Python packages pydantic (2 or later), python-dateutil and urllib3 (2 or later).
 */
class GeneratedClientsTest {
    private static final int TIMEOUT_MINUTES = 10;

    /** Fails with the name of the package that is missing or too old. */
    private static final String PYTHON_PACKAGES = """
            import dateutil, pydantic, urllib3
            for package in pydantic, urllib3:
                version = package.__version__
                assert int(version.split('.')[0]) >= 2, f'{package.__name__} {version} is older than 2'
            """;

    @TempDir
    static Path home;

    private static PlatformUnderTest platform;
    private static SimulatedAdapter adapter;
    private static Path contract;

    @BeforeAll
    static void start() throws Exception {
        platform = new PlatformUnderTest();
        adapter = SimulatedAdapter.start(platform.adapterIn(home.resolve("adapter")));
        contract = Files.writeString(
                home.resolve("openapi.json"), Contract.load().document().toString());
        copy("package.json", home);
        var ignored = run(home, "npm", "install", "--no-audit", "--no-fund"); // clients find it in the parent directory
    }

    @AfterAll
    static void stop() {
        adapter.close();
        platform.close();
    }

    @Test
    void java_completesJourney() throws Exception {
        var sources = generate("java", "--library", "native").resolve("src/main/java");
        copy("Journey.java.txt", sources);
        var files = new ArrayList<String>();
        try (var found = Files.walk(sources)) {
            found.filter(file -> file.toString().endsWith(".java")).forEach(file -> files.add(file.toString()));
        }
        var arguments = Files.write(home.resolve("java-files"), files);
        var classes = home.resolve("java-classes");
        var classpath = classes + File.pathSeparator + System.getProperty("slipway.generated-client.classpath");
        var javac = new ArrayList<>(List.of("javac", "-nowarn", "-proc:none", "-d", classes.toString()));
        ShortLivedJvm.OPTIONS.forEach(option -> javac.add("-J" + option));
        javac.addAll(List.of("-cp", classpath, "@" + arguments));
        var ignored = run(sources, javac.toArray(String[]::new));
        assertCompleted(run(sources, "java", "-cp", classpath, "Journey"));
    }

    @Test
    void typescript_completesJourney() throws Exception {
        var directory = generate("typescript-fetch");
        copy("journey.ts", directory);
        compile(directory, "journey.ts");
        assertCompleted(run(directory, "node", "dist/journey.js"));
    }

    @Test
    void openapiTypescript_completesJourney() throws Exception {
        var directory = Files.createDirectories(home.resolve("openapi-typescript"));
        copy("journey-types.ts", directory);
        var ignored =
                run(directory, "../node_modules/.bin/openapi-typescript", contract.toString(), "-o", "schema.d.ts");
        compile(directory, "journey-types.ts");
        assertCompleted(run(directory, "node", "dist/journey-types.js"));
    }

    @Test
    void python_completesJourney() throws Exception {
        var ignored = run(home, "python3", "-c", PYTHON_PACKAGES);
        var directory = generate("python");
        copy("journey.py", directory);
        assertCompleted(run(directory, "python3", "journey.py"));
    }

    @Test
    void go_completesJourney() throws Exception {
        var directory =
                generate("go", "--additional-properties=enumClassPrefix=true,withGoMod=false,packageName=slipway");
        try (var files = Files.newDirectoryStream(directory, "*.go")) {
            var client = Files.createDirectories(directory.resolve("client"));
            for (var file : files) {
                Files.move(file, client.resolve(file.getFileName()));
            }
        }
        Files.writeString(directory.resolve("go.mod"), "module slipway.test\n\ngo 1.19\n");
        copy("journey.go", directory);
        assertCompleted(run(directory, "go", "run", "."));
    }

    private static Path generate(String generator, String... options) throws Exception {
        var directory = Files.createDirectories(home.resolve(generator));
        var command = new ArrayList<>(ShortLivedJvm.command(512, System.getProperty("slipway.client-generator")));
        command.addAll(List.of(
                "org.openapitools.codegen.OpenAPIGenerator",
                "generate",
                "--global-property",
                "apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
                "-g",
                generator,
                "-i",
                contract.toString(),
                "-o",
                directory.toString()));
        command.addAll(List.of(options));
        var ignored = run(home, command.toArray(String[]::new));
        return directory;
    }

    private static void compile(Path directory, String file) throws Exception {
        var ignored = run(
                directory,
                "../node_modules/.bin/tsc",
                "--strict",
                "--target",
                "es2020",
                "--module",
                "commonjs",
                "--lib",
                "es2020,dom",
                "--outDir",
                "dist",
                file);
    }

    private static void copy(String name, Path directory) throws IOException {
        try (var in = GeneratedClientsTest.class.getResourceAsStream("clients/" + name)) {
            Files.write(directory.resolve(name.replace(".txt", "")), in.readAllBytes()); // not a source of this build
        }
    }

    private static String run(Path directory, String... command) throws Exception {
        var output = Files.createTempFile(home, "output", ".txt");
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "BASE_URL", platform.baseUrl(),
                        "TOKEN", platform.token("project_owner"),
                        "PROJECT", DemoData.PROJECT.toString(),
                        "APP", DemoData.APP,
                        "VERSION", DemoData.VERSION,
                        "GOFLAGS", "-mod=mod",
                        "GOCACHE", home.resolve("go-cache").toString()));
        var process = builder.start();
        var ended = process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        process.destroyForcibly();
        var text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as(text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text;
    }

    private static void assertCompleted(String output) {
        assertThat(output)
                .contains(
                        "me ",
                        "then running",
                        "listed true",
                        "deleted deleting",
                        "error 404",
                        "app_instance_not_found",
                        "correlation_id");
    }
}
