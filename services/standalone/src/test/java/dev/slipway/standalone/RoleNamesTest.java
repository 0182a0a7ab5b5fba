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

/** Code uses actions; which role contains which action is data. */
class RoleNamesTest {
    private static final Path ROOT = Path.of("../..");
    /** The demo names its users and tokens after roles. */
    private static final Set<String> MAY_NAME_ROLES =
            Set.of("DemoData.java", "ConsoleOutput.java", "StandaloneMain.java");

    private static final Set<Path> NOT_THE_PLATFORM =
            Set.of(ROOT.resolve("libs/benchmarks"), ROOT.resolve("libs/testkit"));

    @Test
    @Proves("2.29")
    void mainCode_doesNotContainRoleNames() throws IOException {
        // Machine roles have the names of actor types, which code uses.
        var names = RoleRegistry.load().roles().stream()
                .filter(role -> !role.level().equals("machine"))
                .map(Role::name)
                .toList();
        assertThat(names).isNotEmpty();

        assertThat(sources()).hasSizeGreaterThan(100).allSatisfy(file -> assertThat(names)
                .as("%s contains a role name; use an action, or read the role from the registry", file)
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
