import java.util.concurrent.TimeUnit

/**
 * Starts an installed program once and keeps the classes it loaded as the JVM lays them out in memory. A later start maps that file instead
 * of reading and verifying some ten thousand classes, which is near half of the processor time that a start takes.
 */
class ClassArchive {
    private static final long PATIENCE_SECONDS = 180

    /** Answers whether it worked; where it does not, programs start all the same, only slower. */
    static boolean make(File program, File archive, File home) {
        archive.delete()
        home.deleteDir()
        home.mkdirs()
        def builder = new ProcessBuilder(program.path).redirectErrorStream(true)
        builder.environment().putAll([
            SLIPWAY_HOME           : home.path,
            SLIPWAY_HTTP_PORT      : '0',
            SLIPWAY_MANAGEMENT_PORT: '0',
            SLIPWAY_KAFKA_PORT     : '0',
            SLIPWAY_POSTGRES_PORT  : '0',
            JAVA_OPTS              : "-XX:ArchiveClassesAtExit=$archive.path -Xlog:cds=off -Xlog:cds+dynamic=off".toString(),
        ])
        def process = builder.start()
        try {
            stopWhenReady(process)
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && archive.exists()
        } finally {
            process.destroyForcibly()
            home.deleteDir()
        }
    }

    private static void stopWhenReady(Process process) {
        process.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).exceptionally { process.destroyForcibly() }
        process.inputStream.eachLine { line ->
            if (line.contains('is ready')) { process.toHandle().destroy() } // the archive is written on the way out
        }
    }
}
