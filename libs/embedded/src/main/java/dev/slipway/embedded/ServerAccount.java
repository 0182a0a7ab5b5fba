package dev.slipway.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;

/**
 * The account that PostgreSQL runs under: our own, or as root another one, because PostgreSQL refuses root.
 *
 * @param switched whether we are root and have to become {@code uid}
 * @param diesWithUs whether setpriv is there to end the server when this JVM dies, even of a kill -9
 */
record ServerAccount(int uid, int gid, boolean switched, boolean diesWithUs) {
    private static final int NOBODY = 65534;

    /** As root, the owner of existing data stays its owner: the directory may be an ordinary user's. */
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

    List<String> command(List<String> command) {
        var all = new ArrayList<String>();
        if (diesWithUs) {
            all.addAll(List.of("setpriv", "--pdeathsig", "INT"));
        }
        if (switched) {
            all.addAll(List.of("--reuid=" + uid, "--regid=" + gid, "--clear-groups"));
        }
        all.addAll(command);
        return all;
    }

    void own(Path path) throws IOException {
        if (switched) {
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Whether the account may go down to this directory; what only an ACL allows counts as no. */
    boolean reaches(Path directory) throws IOException {
        if (!switched) {
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

    /** Tried, not looked for: the one of busybox does not know the option. */
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
