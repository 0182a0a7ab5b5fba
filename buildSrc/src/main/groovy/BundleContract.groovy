import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import org.gradle.api.DefaultTask
import org.gradle.api.GradleException
import org.gradle.api.file.DirectoryProperty
import org.gradle.api.tasks.CacheableTask
import org.gradle.api.tasks.InputDirectory
import org.gradle.api.tasks.OutputDirectory
import org.gradle.api.tasks.PathSensitive
import org.gradle.api.tasks.PathSensitivity
import org.gradle.api.tasks.TaskAction
import org.yaml.snakeyaml.DumperOptions
import org.yaml.snakeyaml.LoaderOptions
import org.yaml.snakeyaml.Yaml
import org.yaml.snakeyaml.constructor.SafeConstructor

/**
 * Bundles schemas/ into the resources that the programs load: one OpenAPI document with local references only, one file with all event
 * schemas, the manifest schema and the registries. Fails if an operation does not declare its action, scope or error response.
 */
@CacheableTask
abstract class BundleContract extends DefaultTask {
    static final VERBS = ['get', 'put', 'post', 'delete', 'patch']
    static final TENANT_SCOPES = ['project', 'project_header', 'organization']
    static final SCOPES = ['public', 'self', 'project', 'project_header', 'organization', 'platform']

    @InputDirectory
    @PathSensitive(PathSensitivity.RELATIVE)
    abstract DirectoryProperty getSchemas()

    @OutputDirectory
    abstract DirectoryProperty getBundle()

    @TaskAction
    void bundle() {
        def out = new File(bundle.get().asFile, 'slipway')
        out.deleteDir()
        out.mkdirs()
        def openapi = openapi()
        def problems = faults(openapi)
        if (problems) { throw new GradleException('The REST contract is not complete:\n  ' + problems.join('\n  ')) }
        addRevisionParameter(openapi)
        addAdminVariants(openapi)
        PublishedContract.complete(openapi, yaml('examples'), yaml('descriptions'), yaml('errors'))
        new File(out, 'openapi.json').text = JsonOutput.toJson(openapi)
        new File(out, 'openapi.yaml').text = toYaml(openapi)
        def events = [:]
        folder('events').listFiles().findAll { it.name.endsWith('.json') }.sort().each {
            events[it.name - '.json'] = new JsonSlurper().parse(it)
        }
        new File(out, 'events.json').text = JsonOutput.toJson(events)
        new File(out, 'asyncapi.yaml').text = toYaml(asyncapi(events))
        new File(out, 'manifest.v1.json').bytes = new File(schemas.get().asFile, 'manifest.v1.json').bytes
        folder('registries').listFiles().each { new File(out, "registry-${it.name}").bytes = it.bytes }
    }

    Map openapi() {
        def yaml = new Yaml(new SafeConstructor(new LoaderOptions()))
        def parts = folder('openapi').listFiles().findAll { it.name.endsWith('.yaml') && !(it.name in ['examples.yaml', 'descriptions.yaml', 'errors.yaml']) }.sort()
        Map document = parts.find { it.name == 'common.yaml' }.withInputStream { yaml.load(it) }
        document.paths = [:]
        parts.findAll { it.name != 'common.yaml' }.each { file ->
            Map part = file.withInputStream { yaml.load(it) }
            merge(document.paths, part.paths ?: [:], file.name)
            (part.components ?: [:]).each { kind, entries ->
                merge(document.components.computeIfAbsent(kind) { [:] }, entries, file.name)
            }
        }
        document.security = [[bearer: []]]
        localized(document)
    }

    /** The event contract with the event schemas as components, so that the document stands alone. */
    Map asyncapi(Map events) {
        Map document = new File(folder('asyncapi'), 'slipway.yaml').withInputStream { new Yaml(new SafeConstructor(new LoaderOptions())).load(it) }
        document.components.schemas = (document.components.schemas ?: [:]) + events
        withLocalEventReferences(document)
    }

    static withLocalEventReferences(node) {
        if (node instanceof Map) {
            return node.collectEntries { k, v -> [k, k == '$ref' ? v.replaceAll(/^\.\.\/events\/(.+)\.json$/, '#/components/schemas/$1') : withLocalEventReferences(v)] }
        }
        if (node instanceof List) { return node.collect { withLocalEventReferences(it) } }
        node
    }

    /** Goes through JSON first: YAML would write anchors for shared parts, and types for Groovy strings. */
    static String toYaml(Map document) {
        def options = new DumperOptions(defaultFlowStyle: DumperOptions.FlowStyle.BLOCK, width: 140, splitLines: false)
        new Yaml(options).dump(new JsonSlurper().parseText(JsonOutput.toJson(document)))
    }

    /** Adds X-Revision to all operations with a token: the request is then decided on data at least as new as that revision. */
    static void addRevisionParameter(Map document) {
        document.paths.values().each { item ->
            item.findAll { it.key in VERBS && it.value.'x-slipway-scope' != 'public' }.each { verb, operation ->
                operation.parameters = (operation.parameters ?: []) + [['$ref': '#/components/parameters/Revision']]
            }
        }
    }

    /** Adds the admin variants, through which platform roles access tenant resources and state a reason. */
    static void addAdminVariants(Map document) {
        document.paths.findAll { it.key.startsWith('/api/v1/') && !it.key.startsWith('/api/v1/admin/') }.each { path, tenants ->
            def mirrored = tenants.findAll { it.key in VERBS && it.value.'x-slipway-scope' in TENANT_SCOPES }
            if (mirrored) {
                def item = document.paths.computeIfAbsent(path.replaceFirst('/api/v1/', '/api/v1/admin/')) { [:] }
                merge(item, mirrored.collectEntries { verb, operation -> [verb, adminVariant(operation)] }, "the admin variant of $path")
            }
        }
    }

    /** x-slipway-admin-refused says why the admin variant of an operation always returns 403; it stays in the contract, which only grows. */
    static Map adminVariant(Map operation) {
        def dryRun = operation.'x-slipway-dry-run'
        def refused = operation.remove('x-slipway-admin-refused')
        operation + (dryRun ? ['x-slipway-dry-run': adminId(dryRun)] : [:]) + [
            operationId: adminId(operation.operationId),
            summary: "Break-glass: $operation.summary".toString(),
            description: refused ? "Always returns 403. $refused".toString()
                : 'For platform roles that are not bound to the tenant. Every use is audited and published with its reason.',
            parameters: operation.parameters + [['$ref': '#/components/parameters/BreakGlassReason']],
            'x-slipway-twin-of': operation.operationId,
        ] + (refused ? [deprecated: true] : [:])
    }

    static String adminId(String operationId) { 'admin' + operationId.capitalize() }

    static void merge(Map into, Map from, String file) {
        def twice = into.keySet().intersect(from.keySet())
        if (twice) { throw new GradleException("$file redefines: ${twice.join(', ')}") }
        into.putAll(from)
    }

    static localized(node) {
        if (node instanceof Map) { return node.collectEntries { k, v -> [k, k == '$ref' ? v.replaceAll(/^[a-z-]+\.yaml#/, '#') : localized(v)] } }
        if (node instanceof List) { return node.collect { localized(it) } }
        node
    }

    static List<String> faults(Map document) {
        def problems = []
        def ids = [:]
        document.paths.each { path, item ->
            item.findAll { it.key in VERBS }.each { verb, operation ->
                def name = "${verb.toUpperCase()} $path"
                if (!operation.operationId) { problems << "$name has no operationId" }
                if (ids.put(operation.operationId, name)) { problems << "$name repeats the operationId $operation.operationId" }
                if (!operation.'x-slipway-action') { problems << "$name has no x-slipway-action" }
                if (!(operation.'x-slipway-scope' in SCOPES)) { problems << "$name has no x-slipway-scope of $SCOPES" }
                if (!operation.responses?.default) { problems << "$name has no default (error) response" }
                def isMutation = verb != 'get' && operation.security != [] && !operation.'x-slipway-reads'
                def keyed = operation.parameters.any { it.'$ref'?.endsWith('/IdempotencyKey') }
                if (isMutation && !keyed) { problems << "$name is a mutation without Idempotency-Key" }
            }
        }
        problems
    }

    Map yaml(String name) {
        new File(folder('openapi'), "${name}.yaml").withInputStream { new Yaml(new SafeConstructor(new LoaderOptions())).load(it) }
    }

    File folder(String name) { new File(schemas.get().asFile, name) }
}
