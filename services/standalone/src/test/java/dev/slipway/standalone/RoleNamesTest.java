package dev.slipway.standalone;

import dev.slipway.contract.RoleRegistry;
import dev.slipway.contract.RoleRegistry.Role;
import dev.slipway.testkit.Proves;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** Programs know actions; which role grants which is data. */
class RoleNamesTest {
    private static final Path ROOT = Path.of("../..");
    /** The demo names its users after their roles, the console its tokens; a first administrator has to have some role. */
    private static final Set<String> MAY_NAME_ROLES = Set.of("Demo.java", "Console.java", "StandaloneMain.java");

    private static final Set<Path> NOT_THE_PLATFORM =
            Set.of(ROOT.resolve("libs/benchmarks"), ROOT.resolve("libs/testkit"));

    @Test
    @Proves("2.29")
    void noProgram_namesARole() throws IOException {
        // Machines' roles are named after the kinds of actors, which programs do know.
        var names = RoleRegistry.load().roles().stream()
                .filter(role -> !role.level().equals("machine"))
                .map(Role::name)
                .toList();
        assertThat(names).isNotEmpty();

        assertThat(sources()).hasSizeGreaterThan(100).allSatisfy(file -> assertThat(names)
                .as("%s names a role; ask for an action, or take the role from the registry", file)
                .noneMatch(Files.readString(file)::contains));
    }

    private static List<Path> sources() throws IOException {
        try (var files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/main/"))
                    .filter(file -> !file.toString().contains("/build/"))
                    .filter(file -> NOT_THE_PLATFORM.stream().noneMatch(file::startsWith))
                    .filter(file -> !MAY_NAME_ROLES.contains(file.getFileName().toString()))
                    .toList();
        }
    }
}
