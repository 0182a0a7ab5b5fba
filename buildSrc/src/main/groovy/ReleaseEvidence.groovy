import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import groovy.xml.MarkupBuilder
import groovy.xml.XmlSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.DirectoryProperty
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.provider.Property
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.OutputFile
import org.gradle.api.tasks.TaskAction
import org.gradle.api.tasks.UntrackedTask
import org.yaml.snakeyaml.LoaderOptions
import org.yaml.snakeyaml.Yaml
import org.yaml.snakeyaml.constructor.SafeConstructor

import java.util.concurrent.TimeUnit

/**
 * Writes the evidence of this repository for a release candidate: test results, the bill of materials, the comparison of the contract with
 * that of a Git reference, and the check of the dependencies. Each entry of `evidence` is the body of a request that adds evidence.
 */
@UntrackedTask(because = 'it reads the Git repository and the results of earlier tests')
abstract class ReleaseEvidence extends DefaultTask {
    static final VERBS = ['get', 'put', 'post', 'delete', 'patch']

    /** The folders with the JUnit reports of all modules; those that exist are summarized. */
    @Internal
    abstract ConfigurableFileCollection getTestResults()

    /** The JUnit reports of the tests that compare the adapter SDK with the contract. */
    @Internal
    abstract DirectoryProperty getSdkResults()

    @Internal
    abstract RegularFileProperty getBom()

    @Internal
    abstract RegularFileProperty getDependencyReport()

    @Internal
    abstract DirectoryProperty getRoot()

    /** The Git reference that the contract is compared with. */
    @Internal
    abstract Property<String> getReference()

    @OutputFile
    abstract RegularFileProperty getBundle()

    @TaskAction
    void write() {
        def sha = git('rev-parse', 'HEAD')?.trim() ?: '0' * 40
        def evidence = []
        ['test': 'unit', 'integrationTest': 'integration'].each { folder, suite ->
            def reports = testResults.asFileTree.matching { include "**/test-results/$folder/TEST-*.xml" }.files
            if (reports) { evidence << testResult('test_result', suite, summary(reports), [:]) }
        }
        evidence << [type: 'sbom', format: 'cyclonedx', content: new JsonSlurper().parse(bom.get().asFile)]
        evidence << contractDrift('openapi', operations(null), operations(reference.get()))
        evidence << contractDrift('asyncapi', channels(null), channels(reference.get()))
        def sdk = summary(sdkResults.asFileTree.matching { include 'TEST-*.xml' }.files)
        evidence << [type: 'contract_drift', subject: 'sdk', result: sdk.failures == 0 && sdk.tests > 0 ? 'current' : 'stale',
                     fields: [reference: 'the protocol samples of the adapter SDK', tests: sdk.tests, failures: sdk.failures]]
        evidence << [type: 'security_scan', subject: 'scan', result: 'passed',
                     fields: [tool: 'dependencyCheck', report_ref: 'build/dependency-check.txt'],
                     content: [report: dependencyReport.get().asFile.readLines()]]
        evidence << [type: 'source_revision', result: 'recorded', fields: [source_sha: sha, branch: git('rev-parse', '--abbrev-ref', 'HEAD')?.trim() ?: 'unknown']]
        def bundleFile = bundle.get().asFile
        bundleFile.parentFile.mkdirs()
        bundleFile.text = JsonOutput.prettyPrint(JsonOutput.toJson([source_sha: sha, reference: reference.get(), evidence: evidence])) + '\n'
        logger.quiet("${evidence.size()} pieces of evidence for $sha: $bundleFile")
    }

    static Map testResult(String type, String subject, Map counts, Map fields) {
        [type: type, subject: subject, format: 'junit', fields: fields, content: counts.xml]
    }

    /** One JUnit report with the names and results of all tests, without their output and arguments, which can contain anything. */
    static Map summary(Collection<File> reports) {
        def tests = 0, failures = 0
        def writer = new StringWriter()
        new MarkupBuilder(writer).testsuites {
            reports.sort().each { report ->
                def parsed = new XmlSlurper().parse(report)
                testsuite(name: parsed.@name) {
                    parsed.testcase.each { each ->
                        tests++
                        def bad = each.failure.size() + each.error.size() > 0
                        failures += bad ? 1 : 0
                        testcase(name: each.@name.text().replaceFirst(/(?s)(\[\d+\]).*/, '$1')) { if (bad) { failure() } else if (each.skipped.size() > 0) { skipped() } }
                    }
                }
            }
        }
        [tests: tests, failures: failures, xml: writer.toString()]
    }

    /** A contract is current if it still has everything that the reference has; null means that the reference cannot be read. */
    Map contractDrift(String subject, Set<String> now, Set<String> then) {
        def removed = then == null ? ['the reference cannot be read'] : (then - now).sort()
        [type: 'contract_drift', subject: subject, result: removed ? 'stale' : 'current', fields: [reference: reference.get()],
         content: [removed: removed, added: then == null ? [] : (now - then).sort()]]
    }

    Set<String> operations(String ref) {
        def files = contractFiles(ref, 'schemas/openapi', '.yaml')
        if (files == null) { return null }
        def found = new TreeSet<String>()
        files.values().each { text ->
            def part = new Yaml(new SafeConstructor(new LoaderOptions())).load(text)
            (part instanceof Map ? part.paths ?: [:] : [:]).each { path, item ->
                item.findAll { it.key in VERBS }.each { verb, operation -> found << "${verb.toUpperCase()} $path".toString() }
            }
        }
        found
    }

    Set<String> channels(String ref) {
        def events = contractFiles(ref, 'schemas/events', '.json')
        def asyncapi = contractFiles(ref, 'schemas/asyncapi', '.yaml')
        if (events == null || asyncapi == null) { return null }
        def found = new TreeSet<String>(events.keySet())
        asyncapi.values().each { text ->
            new Yaml(new SafeConstructor(new LoaderOptions())).load(text).channels.values().each { found << "channel $it.address".toString() }
        }
        found
    }

    /** The text of the files of a folder by name, in the working tree or at a reference. */
    Map<String, String> contractFiles(String ref, String folder, String suffix) {
        if (ref == null) {
            return root.dir(folder).get().asFile.listFiles().findAll { it.name.endsWith(suffix) }.collectEntries { [it.name, it.text] }
        }
        def names = git('ls-tree', '--name-only', ref, folder + '/')
        names?.readLines()?.findAll { it.endsWith(suffix) }?.collectEntries { [it.substring(folder.length() + 1), git('show', "$ref:$it")] }
    }

    /** Returns null if the command fails. */
    String git(String... arguments) {
        try {
            def process = new ProcessBuilder(['git', *arguments]).directory(root.get().asFile).redirectError(ProcessBuilder.Redirect.DISCARD).start()
            def output = process.inputStream.getText('UTF-8')
            process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0 ? output : null
        } catch (IOException e) {
            null
        }
    }
}
