package dev.slipway.processadapter;

import dev.slipway.settings.Settings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 */
public record AppAccount(@Nullable Integer uid) {
    private static final Logger LOG = LoggerFactory.getLogger(AppAccount.class);
    static final AppAccount OWN = new AppAccount(null);
    static final String SETTING = "SLIPWAY_PROCESS_ADAPTER_UID";
    /** Belongs to no user, and not to {@code nobody}, which other programs run as too. */
    static final int DEFAULT_UID = 65533;

    private static final int MAX_UID = 65535;

    /**
     * Reads the uid from the settings. Without one, root uses the default, or stays root with a warning if that user could not enter the
     * home directory.
     */
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
                LOG.atWarn().log("apps run as root, because {} is 0", SETTING);
                return OWN;
            }
            var uid = wanted == null ? DEFAULT_UID : wanted;
            var obstacle = obstacle(home, uid);
            if (obstacle == null) {
                return new AppAccount(uid);
            }
            if (wanted != null) {
                settings.addError(SETTING + "=" + wanted + ": " + obstacle);
            } else {
                LOG.atWarn().addKeyValue("uid", uid).log("apps run as root: {}", obstacle);
            }
            return OWN;
        } catch (IOException e) {
            settings.addError(SETTING + ": the users of " + home + " cannot be determined: " + e);
            return OWN;
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
    private static @Nullable String obstacle(Path home, int uid) throws IOException {
        if (!hasSetpriv()) {
            return "setpriv (package util-linux), which changes the user, is missing";
        }
        Files.createDirectories(home);
        for (var step = home.toRealPath(); step != null; step = step.getParent()) {
            var needed = (int) Files.getAttribute(step, "unix:uid") == uid
                    ? PosixFilePermission.OWNER_EXECUTE
                    : PosixFilePermission.OTHERS_EXECUTE;
            if (!Files.getPosixFilePermissions(step).contains(needed)) {
                return "user " + uid + " cannot enter " + step
                        + "; set SLIPWAY_PROCESS_ADAPTER_HOME to a directory that other users can enter";
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
