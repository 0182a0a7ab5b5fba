package dev.slipway.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The user account of the PostgreSQL server: the current user, or another one if that is root, because PostgreSQL refuses to run as root.
 *
 * @param switchesUser whether we are root and have to become {@code uid}
 * @param stopsWithParent whether setpriv is there to end the server when this JVM dies, even of a kill -9
 */
record ServerAccount(int uid, int gid, boolean switchesUser, boolean stopsWithParent) {
    private static final int NOBODY = 65534;

    /** Returns the account for a data directory. For root, the owner of existing data is used. */
    static ServerAccount forData(Path data) {
        try {
            var diesWithUs = hasSetpriv();
            if (effectiveUid() != 0) {
                return new ServerAccount(effectiveUid(), 0, false, diesWithUs);
            }
            if (!diesWithUs) {
                throw new EmbeddedException("PostgreSQL does not run as root, and setpriv (package util-linux) that"
                        + " would change the user is missing; run as another user, or set SLIPWAY_DATABASE_URL");
            }
            var owned = Files.isDirectory(data) && (int) Files.getAttribute(data, "unix:uid") != 0;
            return owned
                    ? new ServerAccount(
                            (int) Files.getAttribute(data, "unix:uid"),
                            (int) Files.getAttribute(data, "unix:gid"),
                            true,
                            true)
                    : new ServerAccount(NOBODY, NOBODY, true, true);
        } catch (IOException e) {
            throw new EmbeddedException("the owner of " + data + " could not be determined", e);
        }
    }

    List<String> wrapCommand(List<String> command) {
        var all = new ArrayList<String>();
        if (stopsWithParent) {
            all.addAll(List.of("setpriv", "--pdeathsig", "INT"));
        }
        if (switchesUser) {
            all.addAll(List.of("--reuid=" + uid, "--regid=" + gid, "--clear-groups"));
        }
        all.addAll(command);
        return all;
    }

    void changeOwner(Path path) throws IOException {
        if (switchesUser) {
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Restricts a file to this process. */
    void hideFromServer(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        if (switchesUser) {
            Files.setAttribute(file, "unix:uid", 0, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(file, "unix:gid", 0, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Returns whether the account can access the directory. ACLs are not considered. */
    boolean canAccess(Path directory) throws IOException {
        if (!switchesUser) {
            return true;
        }
        for (var step = directory.toRealPath(); step != null; step = step.getParent()) {
            var entered = (int) Files.getAttribute(step, "unix:uid") == uid
                    ? PosixFilePermission.OWNER_EXECUTE
                    : PosixFilePermission.OTHERS_EXECUTE;
            if (!Files.getPosixFilePermissions(step).contains(entered)) {
                return false;
            }
        }
        return true;
    }

    private static int effectiveUid() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("Uid:")) {
                return Integer.parseInt(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException("/proc/self/status has no Uid");
    }

    /** Runs setpriv to find out, because the version of BusyBox does not support the option. */
    private static boolean hasSetpriv() {
        try {
            var trial = new ProcessBuilder("setpriv", "--pdeathsig", "INT", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return trial.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedException("interrupted while starting PostgreSQL", e);
        }
    }
}
