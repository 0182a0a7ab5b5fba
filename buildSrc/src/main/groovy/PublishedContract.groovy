import org.gradle.api.GradleException

/**
 * Completes the bundled OpenAPI document for generated clients: explicit types, declared error responses and headers, tags and examples.
 * Nothing here changes which requests and responses are valid.
 */
class PublishedContract {
    static final VERBS = BundleContract.VERBS
    /** The bodies of registry entries, which the catalog validates by kind. */
    static final INTERNAL = ['Product', 'Scope', 'UsageUnit', 'AuditAction', 'NotificationTemplate', 'EvidenceType', 'ArtifactType', 'Policy', 'RetentionClass', 'RuntimeBackend', 'Name', 'Text'].collect { 'Registry' + it }

    static final ERRORS = [
        '400': ['BadRequest', 'The request is malformed; `details.fields` names each fault.'],
        '401': ['Unauthenticated', 'The token is missing, invalid, expired or revoked.'],
        '403': ['Forbidden', 'The caller lacks the permission, or a policy forbids the request.'],
        '404': ['NotFound', 'The resource does not exist or is not visible to the caller.'],
        '409': ['Conflict', 'The current state does not allow the request.'],
        '412': ['PreconditionFailed', 'The resource has changed; `details.etag` is its current ETag.'],
        '413': ['PayloadTooLarge', 'The request body is too large.'],
        '415': ['UnsupportedMediaType', 'The request body is not application/json.'],
        '422': ['UnprocessableContent', 'The request is well-formed, but its content is invalid.'],
        '428': ['PreconditionRequired', 'The resource exists; send its ETag in If-Match.'],
        '429': ['TooManyRequests', 'The rate limit is exceeded; retry after the time in Retry-After.'],
        '500': ['InternalError', 'An internal error; quote the correlation id.'],
        '503': ['Unavailable', 'A dependency is unavailable; retry with the same Idempotency-Key.'],
        '504': ['GatewayTimeout', 'No response in time; retry with the same Idempotency-Key.'],
    ]
    static final ERROR_HEADERS = ['401': ['WWW-Authenticate': 'Challenge'], '429': ['Retry-After': 'RetryAfter'], '503': ['Retry-After': 'RetryAfter']]
    /** The keywords of a schema whose values are data, not schemas. */
    static final DATA = ['example', 'examples', 'default', 'enum', 'const']

    static void complete(Map document, Map examples, Map descriptions, Map errors) {
        addErrorResponses(document)
        moveInternalSchemas(document)
        def operations = document.paths.collectMany { path, item -> item.findAll { it.key in VERBS }.collect { [path: path, verb: it.key, operation: it.value] } }
        operations.each { completeOperation(it.path, it.verb, it.operation, errors[it.operation.'x-slipway-twin-of' ?: it.operation.operationId] ?: [:]) }
        requireUsed('errors.yaml', errors.keySet(), operations*.operation*.operationId)
        [document.paths, document.components.parameters, document.components.schemas].each { addTypes(it) }
        def described = [] as Set
        document.components.schemas.each { name, schema -> addDescriptions(schema, name, descriptions, described) }
        document.components.schemas.each { name, schema -> describe(schema, 'schemas', name, descriptions, described) }
        def parameters = document.components.parameters.values() + operations*.operation*.parameters.flatten().findAll { it?.name }
        parameters.each { describe(it, 'parameters', it.name, descriptions, described) }
        operations*.operation*.responses*.values().flatten()*.headers.findAll().each { it.each { name, header -> if (!header.'$ref') { describe(header, 'headers', name, descriptions, described) } } }
        requireUsed('descriptions.yaml', descriptions.keySet(), described)
        addExamples(document, examples)
        requireTags(document)
    }

    static void requireUsed(String file, Collection<String> keys, Collection<String> used) {
        def unused = keys - used
        if (unused) { throw new GradleException("$file has keys that apply to nothing: ${unused.sort().join(', ')}") }
    }

    static void addErrorResponses(Map document) {
        def header = { name -> ['$ref': "#/components/headers/$name".toString()] }
        ERRORS.each { status, error ->
            def headers = ['X-Correlation-ID': header('CorrelationId')] + (ERROR_HEADERS[status] ?: [:]).collectEntries { name, component -> [name, header(component)] }
            document.components.responses[error[0]] = [
                description: error[1],
                headers: headers,
                content: ['application/json': [schema: ['$ref': '#/components/schemas/Error']]],
            ]
        }
    }

    static void completeOperation(String path, String verb, Map operation, Map ownCodes) {
        if (!operation.description) { operation.description = operation.summary }
        if (verb == 'get') { addRevalidation(operation) }
        operation.responses.findAll { it.key ==~ /[23]\d\d/ }.each { status, response ->
            response.headers = ['X-Correlation-ID': ['$ref': '#/components/headers/CorrelationId']] + (response.headers ?: [:])
        }
        def codes = ownCodes.collectEntries { status, list -> [status.toString(), list] }
        def declared = (errorsOf(path, verb, operation) + codes.keySet()).unique()
        // An admin variant has the same responses object as its operation: it must not be changed in place.
        def responses = operation.responses + declared.collectEntries { [it, errorResponse(it, codes[it])] }
        operation.responses = responses.sort { a, b -> a.key <=> b.key } // "default" sorts last
    }

    /** The gateway answers a GET whose response has an ETag with 304 if the client has this state. */
    static void addRevalidation(Map operation) {
        def etag = operation.responses.findResult { status, response -> status.startsWith('2') ? response.headers?.ETag : null }
        if (etag) {
            operation.parameters = (operation.parameters ?: []) + [['$ref': '#/components/parameters/IfNoneMatch']]
            operation.responses = operation.responses + ['304': [description: 'The resource still has the ETag in If-None-Match.', headers: [ETag: etag]]]
        }
    }

    static Map errorResponse(String status, List<String> codes) {
        def reference = ['$ref': "#/components/responses/${ERRORS[status][0]}".toString()]
        codes ? reference + [description: "${ERRORS[status][1]} Codes of this operation: ${codes.collect { "`$it`" }.join(', ')}.".toString()] : reference
    }

    /** The statuses that follow from the scope, the parameters and the body of an operation. */
    static List<String> errorsOf(String path, String verb, Map operation) {
        def parameters = (operation.parameters ?: [])*.get('$ref').findAll()*.split('/')*.last()
        def scope = operation.'x-slipway-scope'
        def statuses = ['400', '429', '500', '503', '504']
        if (scope != 'public') { statuses += ['401', '403'] }
        if (scope != 'public' && (scope != 'self' || path.contains('{'))) { statuses << '404' }
        if ('IdempotencyKey' in parameters) { statuses << '409' }
        if (operation.requestBody) { statuses += ['413', '415'] }
        if ('IfMatch' in parameters) { statuses += ['412', '428'] }
        if ('IfUnchanged' in parameters) { statuses << '412' }
        statuses
    }

    /** Schemas that only programs use stay out of the published components, so that clients are not generated for them. */
    static void moveInternalSchemas(Map document) {
        def schemas = document.components.schemas
        document.'x-slipway-schemas' = moveReferences(schemas.subMap(INTERNAL))
        INTERNAL.each { schemas.remove(it) }
    }

    static moveReferences(node) {
        if (node instanceof List) { return node.collect { moveReferences(it) } }
        if (!(node instanceof Map)) { return node }
        node.collectEntries { key, value ->
            def name = key == '$ref' ? value.split('/').last() : null
            [key, name in INTERNAL ? "#/x-slipway-schemas/$name".toString() : moveReferences(value)]
        }
    }

    /** Generators need the type of an enum, and an explicit statement that an object has arbitrary properties. */
    static void addTypes(node) {
        if (node instanceof List) { node.each { addTypes(it) } }
        if (!(node instanceof Map)) { return }
        if (node.enum instanceof List && !node.type) {
            def types = node.enum.collect { it == null ? 'null' : it instanceof Number ? 'integer' : it instanceof Boolean ? 'boolean' : 'string' }.unique()
            node.type = types.size() == 1 ? types[0] : types
        }
        if (node.const instanceof String && !node.type) { node.type = 'string' }
        ['if', 'then', 'else'].collect { node[it] }.findAll { it instanceof Map && it.required instanceof List }.each { branch ->
            branch.properties = branch.required.collectEntries { [it, [:]] } + (branch.properties ?: [:])
        }
        if ('object' in [node.type].flatten() && !node.containsKey('additionalProperties')) { node.additionalProperties = true }
        // The keys below "properties" are names: a property "examples" is a schema.
        node.each { key, value ->
            if (key == 'properties' && value instanceof Map) { value.values().each { addTypes(it) } } else if (!(key in DATA)) { addTypes(value) }
        }
    }

    /** Describes the properties without a description: by their path, such as Schema.outer.inner, or by their name. */
    static void addDescriptions(node, String path, Map descriptions, Set used) {
        if (node instanceof List) { node.each { addDescriptions(it, path, descriptions, used) } }
        if (!(node instanceof Map)) { return }
        node.each { key, value ->
            if (key == 'properties') {
                value.each { name, property -> describe(property, path, name, descriptions, used) }
            } else if (!(key in ['if', 'then', 'else'] + DATA)) {
                addDescriptions(value, path, descriptions, used)
            }
        }
    }

    static void describe(property, String path, String name, Map descriptions, Set used) {
        if (!(property instanceof Map)) { return }
        def key = descriptions.containsKey("$path.$name".toString()) ? "$path.$name".toString() : name
        if (!property.description && descriptions[key]) {
            property.description = descriptions[key]
            used << key
        }
        addDescriptions(property, "$path.$name", descriptions, used)
    }

    static void addExamples(Map document, Map examples) {
        def schemas = document.components.schemas
        requireUsed('examples.yaml', examples.keySet(), schemas.keySet())
        examples.each { name, example -> schemas[name].examples = [example] }
        schemas.findAll { !it.value.examples && it.value.properties?.items }.each { name, page -> addPageExample(page, examples) }
    }

    /** A page or list is an envelope of items: its example contains the example of an item. */
    static void addPageExample(Map page, Map examples) {
        def item = examples[page.properties.items.items?.'$ref'?.split('/')?.last()]
        if (item && (page.properties.keySet() - ['items', 'next_cursor']).isEmpty()) {
            page.examples = [[items: [item]] + (page.properties.next_cursor ? [next_cursor: null] : [:])]
        }
    }

    static void requireTags(Map document) {
        def used = document.paths.values()*.values().flatten().findAll { it instanceof Map }*.tags.flatten().toSet() - null
        def missing = used - document.tags*.name.toSet()
        if (missing) { throw new GradleException("common.yaml does not declare the tags ${missing.sort().join(', ')}") }
    }
}
