import org.gradle.api.services.BuildService
import org.gradle.api.services.BuildServiceParameters

/** Stands for the compilers: how many may run at once is less than how many tests may, as they do not wait for anything. */
abstract class CompilersService implements BuildService<BuildServiceParameters.None> {}
