import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.tasks.InputFile
import org.gradle.api.tasks.InputFiles
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.TaskAction
import org.gradle.work.DisableCachingByDefault

import java.time.LocalDate
import java.util.zip.ZipFile

/** Replaces the kept advisories by those of a download of OSV's Maven archive that name a locked library. */
@DisableCachingByDefault(because = 'it changes a source file')
abstract class UpdateAdvisories extends DefaultTask {
    /** A zip file with one JSON file per advisory. */
    @InputFile
    abstract RegularFileProperty getArchive()

    @InputFiles
    abstract ConfigurableFileCollection getLockFiles()

    @Internal
    abstract RegularFileProperty getAdvisories()

    @TaskAction
    void update() {
        def names = lockFiles.files.collectMany { LockedVersions.read(it) }.collect { it.tokenize(':').take(2).join(':') } as Set
        def file = advisories.get().asFile
        def kept = new ZipFile(archive.get().asFile).withCloseable { zip ->
            zip.entries().findAll { it.name.endsWith('.json') }.collect { subset(new JsonSlurper().parse(zip.getInputStream(it)), names) }.findAll()
        }
        def list = [updated: LocalDate.now().toString(), accepted: new JsonSlurper().parse(file).accepted, advisories: kept.sort { it.id }]
        file.text = JsonOutput.prettyPrint(JsonOutput.toJson(list)) + '\n'
        logger.lifecycle("kept ${kept.size()} advisories of ${names.size()} libraries")
    }

    static Map subset(Map advisory, Set<String> names) {
        def affected = advisory.withdrawn ? [] : advisory.affected.findAll { it.package?.ecosystem == 'Maven' && it.package.name in names }
        if (!affected) { return null }
        return [id: advisory.id, aliases: advisory.aliases ?: [], summary: advisory.summary ?: '', affected: affected.collect {
            [package: [ecosystem: 'Maven', name: it.package.name],
             ranges : (it.ranges ?: []).findAll { it.type == 'ECOSYSTEM' }.collect { [type: 'ECOSYSTEM', events: it.events] },
             versions: it.versions ?: []]
        }]
    }
}
