import groovy.json.JsonOutput
import org.gradle.api.DefaultTask
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.provider.ListProperty
import org.gradle.api.provider.MapProperty
import org.gradle.api.provider.Property
import org.gradle.api.tasks.Classpath
import org.gradle.api.tasks.Input
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.OutputFile
import org.gradle.api.tasks.TaskAction
import org.gradle.work.DisableCachingByDefault

import java.security.MessageDigest

/**
 * Writes a CycloneDX 1.6 bill of materials: the libraries of a distribution with their hashes, licenses and dependencies. The same
 * libraries give the same file, so it has no time.
 */
@DisableCachingByDefault(because = 'it only copies resolved data')
abstract class Sbom extends DefaultTask {
    /** The name of the distribution. */
    @Input
    abstract Property<String> getDistribution()

    @Classpath
    abstract ConfigurableFileCollection getFiles()

    /** As {@link Libraries} describes them. */
    @Internal
    abstract ListProperty<Map> getLibraries()

    @Internal
    abstract MapProperty<String, List<String>> getDependencies()

    @OutputFile
    abstract RegularFileProperty getBom()

    @TaskAction
    void write() {
        def name = distribution.get()
        def bom = [
            bomFormat  : 'CycloneDX',
            specVersion: '1.6',
            version    : 1,
            metadata   : [component: [type: 'application', name: name, 'bom-ref': name]],
            components : libraries.get().collect { component(it) },
            dependencies: dependencies.get().collect { ref, on -> [ref: ref, dependsOn: on] }.sort { it.ref },
        ]
        bom.serialNumber = 'urn:uuid:' + UUID.nameUUIDFromBytes(JsonOutput.toJson(bom).getBytes('UTF-8'))
        this.bom.get().asFile.text = JsonOutput.prettyPrint(JsonOutput.toJson(bom)) + '\n'
    }

    static Map component(Map library) {
        def component = [
            type     : 'library',
            'bom-ref': library.purl,
            group    : library.group,
            name     : library.name,
            version  : library.version,
            purl     : library.purl,
            hashes   : library.files.collect { [alg: 'SHA-256', content: sha256(it)] }.unique().sort { it.content },
        ]
        return library.licenses ? component + [licenses: library.licenses.collect { [license: it] }] : component
    }

    static String sha256(File file) {
        def digest = MessageDigest.getInstance('SHA-256')
        file.eachByte(1 << 16) { bytes, count -> digest.update(bytes, 0, count) }
        return digest.digest().encodeHex().toString()
    }
}
