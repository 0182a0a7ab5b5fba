import org.gradle.api.services.BuildService
import org.gradle.api.services.BuildServiceParameters

/** Limits how many compilers run at once: fewer than tests, because a compiler never waits for anything. */
abstract class CompilersService implements BuildService<BuildServiceParameters.None> {}
