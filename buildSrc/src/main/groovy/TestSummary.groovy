import groovy.xml.XmlSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.TaskAction
import org.gradle.api.tasks.UntrackedTask

/** Counts what the tests' own reports say, over all modules: also of tests that did not have to run again. */
@UntrackedTask(because = 'it only prints')
abstract class TestSummary extends DefaultTask {
    @Internal
    abstract ConfigurableFileCollection getReports()

    @TaskAction
    void print() {
        def passed = 0, failed = 0, skipped = 0
        reports.asFileTree.matching { include '**/TEST-*.xml' }.each { file ->
            def suite = new XmlSlurper().parse(file)
            def bad = suite.@failures.toInteger() + suite.@errors.toInteger()
            failed += bad
            skipped += suite.@skipped.toInteger()
            passed += suite.@tests.toInteger() - bad - suite.@skipped.toInteger()
        }
        logger.quiet("$passed passed, $failed failed, $skipped skipped")
        if (skipped > 0) { throw new org.gradle.api.GradleException('A skipped test proves nothing: mend or remove it.') }
    }
}
