import groovy.json.JsonSlurper
import org.gradle.api.GradleException
import org.gradle.api.services.BuildService
import org.gradle.api.services.BuildServiceParameters

/** One Kafka and one PostgreSQL for the tests of all modules: started for the first that needs them, gone with the build. */
abstract class TestInfrastructureService implements BuildService<BuildServiceParameters.None>, AutoCloseable {
    private Process process
    private Map addresses

    /**
     * The class path is the asking module's own, resolved before it asks. As a parameter of the service it would be resolved inside the
     * service's lock, and wait there for a module that waits for the service.
     */
    synchronized Map addresses(String classpath, File errors) {
        if (addresses == null) {
            errors.parentFile.mkdirs()
            def java = [System.getProperty('java.home') + '/bin/java', '-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
            def program = ['-cp', classpath, 'dev.slipway.testkit.InfrastructureMain']
            process = new ProcessBuilder(java + program).redirectError(errors).start()
            addresses = firstJsonLine()
            if (addresses == null) { throw new GradleException("Kafka and PostgreSQL for the tests did not start; see $errors") }
        }
        addresses
    }

    /** Libraries may log before the line that counts. */
    private Map firstJsonLine() {
        def reader = process.inputStream.newReader()
        for (def line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith('{"kafka"')) {
                Thread.startDaemon('test-infrastructure-output') { while (reader.readLine() != null) { } }
                return new LinkedHashMap(new JsonSlurper().parseText(line) as Map) // the parser's own is lazy, and not for two readers
            }
        }
        null
    }

    @Override
    synchronized void close() {
        if (process != null) {
            process.outputStream.close() // the end of its input is its sign to stop
            if (!process.waitFor(20, java.util.concurrent.TimeUnit.SECONDS)) { process.destroyForcibly() }
        }
    }
}
