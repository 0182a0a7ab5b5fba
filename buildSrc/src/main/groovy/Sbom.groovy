import groovy.json.JsonOutput
import groovy.xml.XmlSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.artifacts.component.ModuleComponentIdentifier
import org.gradle.api.artifacts.result.ResolvedArtifactResult
import org.gradle.api.artifacts.result.ResolvedComponentResult
import org.gradle.api.artifacts.result.ResolvedDependencyResult
import org.gradle.api.file.ConfigurableFileCollection
import org.gradle.api.file.RegularFileProperty
import org.gradle.api.provider.Property
import org.gradle.api.provider.SetProperty
import org.gradle.api.tasks.Classpath
import org.gradle.api.tasks.Input
import org.gradle.api.tasks.Internal
import org.gradle.api.tasks.OutputFile
import org.gradle.api.tasks.TaskAction
import org.gradle.maven.MavenModule
import org.gradle.maven.MavenPomArtifact
import org.gradle.work.DisableCachingByDefault

import java.security.MessageDigest

/**
 * Writes a CycloneDX 1.6 bill of materials: the libraries of a distribution with their hashes, licenses and dependencies. The same
 * libraries give the same file, so it has no time.
 */
@DisableCachingByDefault(because = 'reading the licenses again is quick')
abstract class Sbom extends DefaultTask {
    /** The name of the distribution. */
    @Input
    abstract Property<String> getDistribution()

    @Classpath
    abstract ConfigurableFileCollection getFiles()

    @Internal
    abstract SetProperty<ResolvedArtifactResult> getArtifacts()

    @Internal
    abstract Property<ResolvedComponentResult> getRoot()

    @OutputFile
    abstract RegularFileProperty getBom()

    @TaskAction
    void write() {
        def libraries = artifacts.get().findAll { it.id.componentIdentifier instanceof ModuleComponentIdentifier }
                .groupBy { it.id.componentIdentifier }.sort { it.key.displayName }
        def name = distribution.get()
        def bom = [
            bomFormat  : 'CycloneDX',
            specVersion: '1.6',
            version    : 1,
            metadata   : [component: [type: 'application', name: name, 'bom-ref': name]],
            components : libraries.collect { id, found -> component(id, found) },
            dependencies: dependencies(name, libraries.keySet()),
        ]
        bom.serialNumber = 'urn:uuid:' + UUID.nameUUIDFromBytes(JsonOutput.toJson(bom).getBytes('UTF-8'))
        this.bom.get().asFile.text = JsonOutput.prettyPrint(JsonOutput.toJson(bom)) + '\n'
    }

    Map component(ModuleComponentIdentifier id, List<ResolvedArtifactResult> found) {
        def component = [
            type     : 'library',
            'bom-ref': purl(id),
            group    : id.group,
            name     : id.module,
            version  : id.version,
            purl     : purl(id),
            hashes   : found.collect { [alg: 'SHA-256', content: sha256(it.file)] }.unique().sort { it.content },
        ]
        def named = licenses(id.group, id.module, id.version)
        return named ? component + [licenses: named.collect { [license: it] }] : component
    }

    /** The libraries that each library depends on; those of our modules belong to the distribution. */
    List<Map> dependencies(String name, Set<ModuleComponentIdentifier> libraries) {
        def needed = [:].withDefault { new TreeSet<String>() }
        libraries.each { needed[purl(it)] }
        def seen = [] as Set
        def pending = new ArrayDeque([root.get()])
        while (pending) {
            def component = pending.pop()
            if (!seen.add(component.id)) { continue }
            def from = component.id in libraries ? purl(component.id) : name
            component.dependencies.findAll { it instanceof ResolvedDependencyResult && !it.constraint }.each { ResolvedDependencyResult it ->
                if (it.selected.id in libraries) { needed[from] << purl(it.selected.id) }
                pending << it.selected
            }
        }
        return needed.collect { ref, on -> [ref: ref, dependsOn: on as List] }.sort { it.ref }
    }

    static String purl(ModuleComponentIdentifier id) { "pkg:maven/$id.group/$id.module@$id.version" }

    static String sha256(File file) {
        def digest = MessageDigest.getInstance('SHA-256')
        file.eachByte(1 << 16) { bytes, count -> digest.update(bytes, 0, count) }
        return digest.digest().encodeHex().toString()
    }

    /** The licenses of the POM, or of the nearest parent that names any. */
    List<Map> licenses(String group, String module, String version) {
        def query = project.dependencies.createArtifactResolutionQuery().forModule(group, module, version).withArtifacts(MavenModule, MavenPomArtifact)
        def file = query.execute().resolvedComponents.collectMany { it.getArtifacts(MavenPomArtifact) }.find { it instanceof ResolvedArtifactResult }?.file
        if (!file) { return [] }
        def pom = new XmlSlurper(false, false).parse(file)
        def named = pom.licenses.license.collect { license ->
            [name: license.name.text().trim(), url: license.url.text().trim()].findAll { it.value }
        }.findAll { it.name }
        def parent = pom.parent
        return named || parent.isEmpty() ? named : licenses(parent.groupId.text().trim(), parent.artifactId.text().trim(), parent.version.text().trim())
    }
}
