package dev.slipway.instances;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import dev.slipway.instances.appinstance.LaunchApi;
import dev.slipway.service.Request;
import dev.slipway.testkit.ArchitectureRules;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Follows the calls of a launch through the service. */
class LaunchPathTest {
    private static final String ROOT = "dev.slipway.instances";

    @Test
    void launch_entersFourClasses() throws IOException {
        var create = ArchitectureRules.production(ROOT).get(LaunchApi.class).getMethod("create", Request.class);

        var entered = new TreeSet<String>();
        reachableFrom(create).stream()
                .map(unit -> outermost(unit.getOwner()))
                .filter(LaunchPathTest::hasBehaviour)
                .map(JavaClass::getSimpleName)
                .forEach(entered::add);

        assertThat(entered).containsExactly("AppInstanceStore", "InstanceLifecycle", "LaunchApi", "LaunchContextStore");
        var contributing = Files.readString(Path.of("../../CONTRIBUTING.md"));
        assertThat(entered).allSatisfy(name -> assertThat(contributing).contains("`" + name));
    }

    /** Returns the methods and constructors of the service that a method calls or refers to, directly or not. */
    private static Set<JavaCodeUnit> reachableFrom(JavaCodeUnit start) {
        var reached = new LinkedHashSet<JavaCodeUnit>(Set.of(start));
        var open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            var unit = open.remove();
            Stream.of(
                            unit.getCallsFromSelf().stream(),
                            unit.getMethodReferencesFromSelf().stream(),
                            unit.getConstructorReferencesFromSelf().stream())
                    .flatMap(access -> access)
                    .map(access -> (CodeUnitAccessTarget) access.getTarget())
                    .flatMap(target -> target.resolveMember().stream())
                    .map(JavaCodeUnit.class::cast)
                    .filter(called -> called.getOwner().getPackageName().startsWith(ROOT))
                    .filter(reached::add)
                    .forEach(open::add);
        }
        return reached;
    }

    /** Records, enums and interfaces are data, unless they contain SQL. */
    private static boolean hasBehaviour(JavaClass type) {
        return type.getSimpleName().endsWith("Store") || (!type.isRecord() && !type.isEnum() && !type.isInterface());
    }

    private static JavaClass outermost(JavaClass type) {
        var outermost = type;
        while (outermost.getEnclosingClass().isPresent()) {
            outermost = outermost.getEnclosingClass().get();
        }
        return outermost;
    }
}
