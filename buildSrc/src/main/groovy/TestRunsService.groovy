import org.gradle.api.services.BuildService
import org.gradle.api.services.BuildServiceParameters

/** Remembers the test tasks that this build reached, with the directories of their reports. Reports of other tasks are of an older build. */
abstract class TestRunsService implements BuildService<BuildServiceParameters.None> {
    private final Set<File> reports = Collections.synchronizedSet(new LinkedHashSet<File>())

    void reached(File report) { reports.add(report) }

    Set<File> reports() { new LinkedHashSet<File>(reports) }
}
