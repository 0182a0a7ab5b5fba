import org.gradle.api.DefaultTask
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.TaskAction
import org.gradle.api.tasks.UntrackedTask

/** Prints, per area, the requirement rows that no passing test proves; a test that names a row that is not there fails it. */
@UntrackedTask(because = 'it only prints')
abstract class UnprovenRequirements extends DefaultTask {
    @Internal
    abstract RegularFileProperty getRequirements()

    @Internal
    abstract ConfigurableFileCollection getProven()

    @TaskAction
    void print() {
        def proven = proven.files.findAll { it.exists() }.collectMany { it.readLines() } as Set
        def rows = requirements.get().asFile.readLines().collect { it =~ /^\| ([0-4C]\.\d+) \| (\S+) \| (.+) \| (\S+) \|$/ }
                .findAll { it.matches() }.collect { [id: it.group(1), area: it.group(2), text: it.group(3), kind: it.group(4)] }
        def unknown = proven - rows*.id
        if (unknown) { throw new org.gradle.api.GradleException("Tests claim to prove rows that do not exist: ${unknown.sort()}") }
        def expected = rows.findAll { it.kind in ['must', 'direction', 'adopted'] }
        expected.groupBy { it.area }.each { area, of ->
            def open = of.findAll { !(it.id in proven) }
            logger.quiet("\n$area: ${of.size() - open.size()} of ${of.size()} proven")
            open.each { logger.quiet("  ${it.id.padRight(6)} ${it.text}") }
        }
        logger.quiet("\n${expected.count { it.id in proven }} of ${expected.size()} rows proven")
    }
}
