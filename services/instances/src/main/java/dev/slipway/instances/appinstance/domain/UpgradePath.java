package dev.slipway.instances.appinstance.domain;

import dev.slipway.instances.appinstance.domain.AppInstance.Previous;
import dev.slipway.instances.appinstance.domain.Decision.Refused;
import org.jspecify.annotations.Nullable;

import java.math.BigInteger;
import java.util.List;

/** Which versions lead to which, as the manifests say. */
public final class UpgradePath {
    private static final String NO_UPGRADE = "upgrade_not_possible";
    private static final String NO_ROLLBACK = "rollback_not_possible";

    private UpgradePath() {}

    /** What a manifest says of a way to or from its version; {@code versions} is empty where it names none. */
    public record Way(String strategy, List<String> versions) {
        boolean supported() {
            return !strategy.equals("unsupported");
        }
    }

    /** Why an instance cannot be upgraded to a version; null if it can. {@code way} is what that version's manifest says. */
    public static @Nullable Refused upgrade(AppInstance from, String to, String backend, Way way) {
        var current = from.app().version();
        if (current.equals(to)) {
            return new Refused(NO_UPGRADE, "The instance runs " + to + " already.");
        }
        if (!way.supported()) {
            return new Refused(
                    NO_UPGRADE, "Version " + to + " does not support upgrades to it: launch a new instance.");
        }
        if (!from.app().runtimeBackend().equals(backend)) {
            return new Refused(
                    NO_UPGRADE,
                    "Version " + to + " runs on " + backend + ", the instance on "
                            + from.app().runtimeBackend() + ": launch a new instance.");
        }
        if (way.versions.isEmpty() ? compare(current, to) < 0 : way.versions.contains(current)) {
            return null;
        }
        return way.versions.isEmpty()
                ? new Refused(NO_UPGRADE, to + " is earlier than " + current + ": roll back instead.")
                : new Refused(
                        NO_UPGRADE,
                        "Version " + to + " can be reached from " + String.join(", ", way.versions) + " only.");
    }

    /** Why an instance cannot go back; null if it can. {@code way} is what the manifest of the version that it runs says. */
    public static @Nullable Refused rollback(AppInstance from, @Nullable Previous to, Way way) {
        if (to == null) {
            return new Refused(NO_ROLLBACK, "The instance was not upgraded: there is nothing to go back to.");
        }
        if (!way.supported()) {
            return new Refused(NO_ROLLBACK, "Version " + from.app().version() + " does not support rolling back.");
        }
        return way.versions.isEmpty() || way.versions.contains(to.version())
                ? null
                : new Refused(
                        NO_ROLLBACK,
                        "From " + from.app().version() + " one can go back to " + String.join(", ", way.versions)
                                + " only, not to " + to.version() + ".");
    }

    /** As people count: 1.10 is after 1.9. A version with a suffix such as -rc1 is before the one without. */
    static int compare(String one, String other) {
        var left = one.split("[._-]", -1);
        var right = other.split("[._-]", -1);
        for (var i = 0; i < Math.min(left.length, right.length); i++) {
            var order = comparePart(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        if (left.length == right.length) {
            return 0;
        }
        var longer = left.length > right.length ? left : right;
        var numeric = isNumber(longer[Math.min(left.length, right.length)]);
        return (left.length > right.length) == numeric ? 1 : -1;
    }

    private static int comparePart(String left, String right) {
        if (isNumber(left) && isNumber(right)) {
            return new BigInteger(left).compareTo(new BigInteger(right));
        }
        if (isNumber(left) != isNumber(right)) {
            return isNumber(left) ? 1 : -1;
        }
        return left.compareTo(right);
    }

    private static boolean isNumber(String part) {
        return !part.isEmpty() && part.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
