package dev.slipway.embedded;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/** Unpacks PostgreSQL from the class path, once per version and directory. */
final class PostgresBinaries {
    private static final Path SHARED = Path.of("/var/cache/slipway");
    private static final String UNPACKING = ".unpacking";
    private static final Set<PosixFilePermission> EXECUTABLE_BY_ALL = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final Set<PosixFilePermission> READABLE_BY_ALL = PosixFilePermissions.fromString("rw-r--r--");
    private static final String COMPLETE = ".complete";

    private PostgresBinaries() {}

    /**
     * Returns the directory with {@code bin}, {@code lib} and {@code share}. It is in the cache of the user, shared by all data directories,
     * or in the fallback directory. The account must be able to access it, because the server loads its libraries by absolute path.
     */
    static Path unpack(Path fallback, ServerAccount account) {
        return unpack(List.of(cache(account), fallback), account);
    }

    /** Unpacks into the first usable directory. */
    static Path unpack(List<Path> directories, ServerAccount account) {
        var archive = archive();
        var problems = new ArrayList<String>();
        for (var directory : directories) {
            try {
                Files.createDirectories(directory);
                if (directory.equals(SHARED)) {
                    Files.setPosixFilePermissions(SHARED, EXECUTABLE_BY_ALL);
                }
                if (account.canAccess(directory)) {
                    return unpackInto(directory.toRealPath(), archive);
                }
                problems.add("other users cannot access " + directory);
            } catch (IOException e) {
                problems.add("unpacking into " + directory + " failed (" + e + ")");
            }
        }
        throw new EmbeddedException("PostgreSQL could not be unpacked: " + String.join("; ", problems)
                + "; choose another data directory, or set SLIPWAY_DATABASE_URL");
    }

    /** Returns the cache directory. For root it must not be below /root, which the server account cannot access. */
    private static Path cache(ServerAccount account) {
        return account.switchesUser() ? SHARED : Path.of(System.getProperty("user.home"), ".cache", "slipway");
    }

    private static URL archive() {
        var os = System.getProperty("os.name");
        var machine = System.getProperty("os.arch");
        var found = os.equals("Linux")
                ? PostgresBinaries.class.getResource(
                        switch (machine) {
                            case "amd64", "x86_64" -> "/postgres-linux-x86_64.txz";
                            case "aarch64" -> "/postgres-linux-arm_64.txz";
                            default -> "/postgres-linux-" + machine + ".txz";
                        })
                : null;
        if (found == null) {
            throw new EmbeddedException("embedded PostgreSQL is not available for " + os + " on " + machine
                    + "; set SLIPWAY_DATABASE_URL and SLIPWAY_KAFKA_BOOTSTRAP to use external servers");
        }
        return found;
    }

    /** The file lock excludes other JVMs, the monitor excludes other threads of this one. */
    private static synchronized Path unpackInto(Path parent, URL archive) throws IOException {
        var home = parent.resolve("postgres-" + checksum(archive));
        try (var lock =
                FileChannel.open(parent.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            lock.lock();
            if (isComplete(home)) {
                return home;
            }
            var unpacking = parent.resolve(home.getFileName() + UNPACKING);
            delete(unpacking); // left over from a killed process
            delete(home); // incomplete: files were deleted
            extract(archive, unpacking);
            Files.writeString(unpacking.resolve(COMPLETE), String.valueOf(size(unpacking)));
            Files.move(unpacking, home, StandardCopyOption.ATOMIC_MOVE);
            return home;
        }
    }

    /** Identifies the version by the checksum in the jar index, because the file name of the archive has no version. */
    private static String checksum(URL archive) throws IOException {
        var connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return hex(jar.getJarEntry().getCrc());
        }
        try (var in = new CheckedInputStream(archive.openStream(), new CRC32())) {
            in.skipNBytes(connection.getContentLengthLong());
            return hex(in.getChecksum().getValue());
        }
    }

    private static String hex(long crc) {
        return String.format(Locale.ROOT, "%08x", crc);
    }

    private static boolean isComplete(Path home) throws IOException {
        var mark = home.resolve(COMPLETE);
        return Files.exists(mark) && Files.readString(mark).equals(String.valueOf(size(home)));
    }

    private static long size(Path home) throws IOException {
        try (var files = Files.walk(home)) {
            return files.filter(file -> !file.endsWith(COMPLETE) && Files.isRegularFile(file))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static void extract(URL archive, Path target) throws IOException {
        try (var in = new TarArchiveInputStream(
                new XZCompressorInputStream(new BufferedInputStream(archive.openStream(), 1 << 16)))) {
            for (var entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                var path = target.resolve(entry.getName()).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("archive entry outside of the target directory: " + entry.getName());
                }
                write(in, entry, target, path);
            }
        }
        // Set explicitly, because the umask of root is often 077 and the server runs as another user.
        try (var paths = Files.walk(target)) {
            for (var directory : paths.filter(Files::isDirectory).toList()) {
                Files.setPosixFilePermissions(directory, EXECUTABLE_BY_ALL);
            }
        }
    }

    private static void write(TarArchiveInputStream in, TarArchiveEntry entry, Path target, Path path)
            throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolve("..").normalize()); // not every directory has an entry
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.isLink()) {
            Files.createLink(path, target.resolve(entry.getLinkName()));
        } else {
            Files.copy(in, path);
            var executable = (entry.getMode() & 0100) != 0;
            Files.setPosixFilePermissions(path, executable ? EXECUTABLE_BY_ALL : READABLE_BY_ALL);
        }
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (var files = Files.walk(tree)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
