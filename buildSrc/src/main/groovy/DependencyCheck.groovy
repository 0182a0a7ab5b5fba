import groovy.json.JsonSlurper
import org.apache.maven.artifact.versioning.ComparableVersion
import org.gradle.api.DefaultTask
import org.gradle.api.GradleException
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.tasks.CacheableTask
import org.gradle.api.tasks.InputFile
import org.gradle.api.tasks.InputFiles
import org.gradle.api.tasks.OutputFile
import org.gradle.api.tasks.PathSensitive
import org.gradle.api.tasks.PathSensitivity
import org.gradle.api.tasks.TaskAction

/** Fails if a locked version is affected by an advisory of the kept list (a subset of the OSV format). Needs no network. */
@CacheableTask
abstract class DependencyCheck extends DefaultTask {
    @InputFiles
    @PathSensitive(PathSensitivity.RELATIVE)
    abstract ConfigurableFileCollection getLockFiles()

    @InputFile
    @PathSensitive(PathSensitivity.NONE)
    abstract RegularFileProperty getAdvisories()

    @OutputFile
    abstract RegularFileProperty getReport()

    @TaskAction
    void check() {
        def list = new JsonSlurper().parse(advisories.get().asFile)
        def accepted = list.accepted.collectEntries { [it.id, it.reason] }
        def locked = lockFiles.files.collectMany { LockedVersions.read(it) } as TreeSet
        def found = locked.collectMany { library ->
            def (group, name, version) = library.split(':')
            list.advisories.findAll { affects(it, "$group:$name", version) }.collect { [library: library, id: it.id, summary: it.summary] }
        }
        def open = found.findAll { !accepted[it.id] }
        report.get().asFile.text = found.collect { "$it.library $it.id: $it.summary${accepted[it.id] ? ' (accepted: ' + accepted[it.id] + ')' : ''}\n" }.join('')
        if (open) {
            throw new GradleException("${open.size()} locked versions have known vulnerabilities:\n  " + open.collect { "$it.library $it.id: $it.summary" }.join('\n  ')
                    + '\nUpgrade them in gradle/libs.versions.toml, then run ./gradlew sbom --write-locks.')
        }
        logger.lifecycle("${locked.size()} locked versions, ${list.advisories.size()} advisories of $list.updated: no known vulnerability")
    }

    static boolean affects(Map advisory, String name, String version) {
        advisory.affected.any { it.package.name == name && (it.versions?.contains(version) || it.ranges.any { range -> inRange(range.events, version) }) }
    }

    /** Events are pairs, in order: introduced, then fixed (exclusive) or last_affected (inclusive); no end means every later version. */
    static boolean inRange(List<Map> events, String text) {
        def version = new ComparableVersion(text)
        def affected = false
        events.each {
            if (it.introduced && (it.introduced == '0' || version >= new ComparableVersion(it.introduced))) { affected = true }
            if (it.fixed && version >= new ComparableVersion(it.fixed)) { affected = false }
            if (it.last_affected && version > new ComparableVersion(it.last_affected)) { affected = false }
        }
        return affected
    }
}
