import groovy.xml.XmlSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.GradleException
import org.gradle.api.provider.Property
import org.gradle.api.services.ServiceReference
import org.gradle.api.tasks.TaskAction
import org.gradle.api.tasks.UntrackedTask

/** Counts what the reports of this build's tests say, over all modules: also of tests that did not have to run again, and of no others. */
@UntrackedTask(because = 'it only prints')
abstract class TestSummary extends DefaultTask {
    @ServiceReference('testRuns')
    abstract Property<TestRunsService> getRuns()

    @TaskAction
    void print() {
        def passed = 0, failed = 0, skipped = 0
        def reports = runs.get().reports().collectMany { directory -> directory.listFiles()?.toList() ?: [] }
        reports.findAll { it.name ==~ /TEST-.*\.xml/ }.each { file ->
            def suite = new XmlSlurper().parse(file)
            def bad = suite.@failures.toInteger() + suite.@errors.toInteger()
            failed += bad
            skipped += suite.@skipped.toInteger()
            passed += suite.@tests.toInteger() - bad - suite.@skipped.toInteger()
        }
        logger.quiet("$passed passed, $failed failed, $skipped skipped")
        if (skipped > 0) { throw new GradleException('A skipped test proves nothing: mend or remove it.') }
    }
}
