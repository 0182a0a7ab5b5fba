package dev.slipway.processadapter;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;

/**
 * The user that apps run as: the adapter's own, or another one if that is root.
 *
 * @param uid null for the adapter's own user
 * @param obstacle why apps cannot be started as this user; null if they can
 */
public record AppAccount(@Nullable Integer uid, @Nullable String obstacle) {
    static final AppAccount OWN = new AppAccount(null, null);
    static final String SETTING = "SLIPWAY_PROCESS_ADAPTER_UID";
    /** Belongs to no user, and not to {@code nobody}, which other programs run as too. */
    static final int DEFAULT_UID = 65533;

    private static final String ALTERNATIVE =
            ", or run as another user than root, or accept that apps run as root with " + SETTING + "=0";
    private static final int MAX_UID = 65535;

    /** Reads the uid from the settings. Without one, root uses the default, and launches are refused if that user cannot run apps here. */
    static AppAccount from(Settings settings, Path home) {
        var wanted = settings.optional(SETTING) == null ? null : settings.integer(SETTING, DEFAULT_UID, 0, MAX_UID);
        try {
            if (effectiveUid() != 0) {
                if (wanted != null && wanted != effectiveUid()) {
                    settings.addError(SETTING + "=" + wanted + ": only root can run apps as another user");
                }
                return OWN;
            }
            if (wanted != null && wanted == 0) {
                return OWN;
            }
            var uid = wanted == null ? DEFAULT_UID : wanted;
            var obstacle = findObstacle(home, uid);
            if (obstacle != null && wanted != null) {
                settings.addError(SETTING + "=" + wanted + ": " + obstacle);
            }
            return new AppAccount(uid, obstacle);
        } catch (IOException e) {
            settings.addError(SETTING + ": the users of " + home + " cannot be determined: " + e);
            return OWN;
        }
    }

    /** Returns whether apps run as root. */
    boolean isRoot() {
        try {
            return uid == null && effectiveUid() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Wraps a command so that it runs as this user, and cannot gain privileges. */
    List<String> wrapCommand(List<String> command) {
        if (uid == null) {
            return command;
        }
        var words = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=" + uid,
                "--regid=" + uid,
                "--clear-groups",
                "--no-new-privs",
                "--bounding-set=-all"));
        words.addAll(command);
        return words;
    }

    void changeOwner(Path directory) throws IOException {
        if (uid != null) {
            Files.setAttribute(directory, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(directory, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Returns why the user cannot run apps here; null if it can. ACLs are not considered. */
    private static @Nullable String findObstacle(Path home, int uid) throws IOException {
        if (!hasSetpriv()) {
            return "setpriv (package util-linux), which changes the user, is missing; install it" + ALTERNATIVE;
        }
        Files.createDirectories(home);
        for (var step = home.toRealPath(); step != null; step = step.getParent()) {
            var needed = (int) Files.getAttribute(step, "unix:uid") == uid
                    ? PosixFilePermission.OWNER_EXECUTE
                    : PosixFilePermission.OTHERS_EXECUTE;
            if (!Files.getPosixFilePermissions(step).contains(needed)) {
                return "user " + uid
                        + " cannot enter the adapter's directory; set SLIPWAY_PROCESS_ADAPTER_HOME to one that other users can enter"
                        + ALTERNATIVE;
            }
        }
        return null;
    }

    private static int effectiveUid() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static boolean hasSetpriv() {
        try {
            return new ProcessBuilder("setpriv", "--no-new-privs", "--bounding-set=-all", "true")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
