/** Reads the libraries of a gradle.lockfile, as {@code group:name:version}. */
class LockedVersions {
    static List<String> read(File lockFile) {
        lockFile.readLines().findAll { it.contains('=') && it.split('=')[0].count(':') == 2 }.collect { it.split('=')[0] }
    }
}
