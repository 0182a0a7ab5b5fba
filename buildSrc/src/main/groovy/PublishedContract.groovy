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
    static final RETRYABLE = ['429', '503']

    static void complete(Map document, Map examples, Map descriptions) {
        addErrorResponses(document)
        moveInternalSchemas(document)
        document.paths.values().each { item -> item.findAll { it.key in VERBS }.each { verb, operation -> completeOperation(verb, operation) } }
        [document.paths, document.components.parameters, document.components.schemas].each { addTypes(it) }
        addDescriptions(document.components.schemas, descriptions)
        addExamples(document, examples)
        requireTags(document)
    }

    static void addErrorResponses(Map document) {
        def header = { name -> ['$ref': "#/components/headers/$name".toString()] }
        ERRORS.each { status, error ->
            def headers = ['X-Correlation-ID': header('CorrelationId')] + (status in RETRYABLE ? ['Retry-After': header('RetryAfter')] : [:])
            document.components.responses[error[0]] = [
                description: error[1],
                headers: headers,
                content: ['application/json': [schema: ['$ref': '#/components/schemas/Error']]],
            ]
        }
    }

    static void completeOperation(String verb, Map operation) {
        if (!operation.description) { operation.description = operation.summary }
        operation.responses.findAll { it.key ==~ /[23]\d\d/ }.each { status, response ->
            response.headers = ['X-Correlation-ID': ['$ref': '#/components/headers/CorrelationId']] + (response.headers ?: [:])
        }
        def added = errorsOf(verb, operation).findAll { !operation.responses.containsKey(it) }
        added.each { operation.responses[it] = ['$ref': "#/components/responses/${ERRORS[it][0]}".toString()] }
        def ordered = operation.responses.sort { a, b -> a.key <=> b.key } // "default" sorts last
        operation.responses = ordered
    }

    static List<String> errorsOf(String verb, Map operation) {
        def parameters = (operation.parameters ?: [])*.get('$ref').findAll()*.split('/')*.last()
        def isPublic = operation.'x-slipway-scope' == 'public'
        def isMutation = verb != 'get' && !operation.'x-slipway-reads'
        def statuses = ['400', '429', '500', '503', '504']
        if (!isPublic || operation.requestBody) { statuses << '401' }
        if (!isPublic) { statuses += ['403', '404'] }
        if (isMutation) { statuses << '409' }
        if (operation.requestBody) { statuses += ['413', '415', '422'] }
        if ('IfMatch' in parameters) { statuses += ['412', '428'] }
        if ('IfUnchanged' in parameters) { statuses << '412' }
        statuses.sort()
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
        if (node.type == 'object' && !node.containsKey('additionalProperties')) { node.additionalProperties = true }
        node.each { key, value -> if (!(key in ['example', 'examples', 'default', 'enum', 'const'])) { addTypes(value) } }
    }

    static void addDescriptions(node, Map descriptions) {
        if (node instanceof List) { node.each { addDescriptions(it, descriptions) } }
        if (!(node instanceof Map)) { return }
        if (node.properties instanceof Map) {
            node.properties.each { name, property ->
                if (property instanceof Map && property.type && !property.description && descriptions[name]) { property.description = descriptions[name] }
            }
        }
        node.each { key, value -> if (!(key in ['if', 'then', 'else', 'example', 'examples', 'default'])) { addDescriptions(value, descriptions) } }
    }

    static void addExamples(Map document, Map examples) {
        examples.each { name, example ->
            def schema = document.components.schemas[name]
            if (!schema) { throw new GradleException("examples.yaml has an example of an unknown schema: $name") }
            schema.examples = [example]
        }
    }

    static void requireTags(Map document) {
        def used = document.paths.values()*.values().flatten().findAll { it instanceof Map }*.tags.flatten().toSet() - null
        def missing = used - document.tags*.name.toSet()
        if (missing) { throw new GradleException("common.yaml does not declare the tags ${missing.sort().join(', ')}") }
    }
}
