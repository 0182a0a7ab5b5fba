import groovy.xml.XmlSlurper
import org.gradle.api.artifacts.component.ModuleComponentIdentifier
import org.gradle.api.artifacts.dsl.DependencyHandler
import org.gradle.api.artifacts.result.ResolvedArtifactResult
import org.gradle.api.artifacts.result.ResolvedComponentResult
import org.gradle.api.artifacts.result.ResolvedDependencyResult
import org.gradle.maven.MavenModule
import org.gradle.maven.MavenPomArtifact

/** Describes the libraries of a distribution in plain values, which the configuration cache can keep, unlike the results of Gradle. */
class Libraries {
    private final DependencyHandler handler

    Libraries(DependencyHandler handler) { this.handler = handler }

    /** Returns a map for each library with its coordinates, files and licenses. */
    List<Map> describe(Collection<ResolvedArtifactResult> artifacts) {
        artifacts.findAll { it.id.componentIdentifier instanceof ModuleComponentIdentifier }
                .groupBy { it.id.componentIdentifier }.sort { it.key.displayName }
                .collect { id, found ->
                    [
                        purl    : purl(id),
                        group   : id.group,
                        name    : id.module,
                        version : id.version,
                        files   : found*.file,
                        licenses: licenses(id.group, id.module, id.version),
                    ]
                }
    }

    /** Returns the libraries that each library depends on; those of our modules belong to the distribution. */
    static Map<String, List<String>> dependencies(String distribution, Collection<String> libraries, ResolvedComponentResult root) {
        def needed = [:].withDefault { new TreeSet<String>() }
        libraries.each { needed[it] }
        def seen = [] as Set
        def pending = new ArrayDeque([root])
        while (pending) {
            def component = pending.pop()
            if (!seen.add(component.id)) { continue }
            def from = isLibrary(component, libraries) ? purl(component.id) : distribution
            component.dependencies.findAll { it instanceof ResolvedDependencyResult && !it.constraint }.each { ResolvedDependencyResult it ->
                if (isLibrary(it.selected, libraries)) { needed[from] << purl(it.selected.id) }
                pending << it.selected
            }
        }
        return needed.collectEntries { from, on -> [(from): on as List] }
    }

    /** A platform (BOM) is a module without a file, and no library. */
    static boolean isLibrary(ResolvedComponentResult component, Collection<String> libraries) {
        component.id instanceof ModuleComponentIdentifier && purl(component.id) in libraries
    }

    static String purl(ModuleComponentIdentifier id) { "pkg:maven/$id.group/$id.module@$id.version".toString() }

    /** The licenses of the POM, or of the nearest parent that names any. */
    List<Map> licenses(String group, String module, String version) {
        def query = handler.createArtifactResolutionQuery().forModule(group, module, version).withArtifacts(MavenModule, MavenPomArtifact)
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
