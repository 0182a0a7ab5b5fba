package dev.slipway.instances.launch.domain;

import dev.slipway.operations.domain.Refusal;
import org.jspecify.annotations.Nullable;

import java.math.BigInteger;

/** Decides which versions an instance or a shared runtime can be upgraded or rolled back to, by the rules of their manifests. */
public final class UpgradePath {
    private static final String NO_UPGRADE = "upgrade_not_possible";
    private static final String NO_ROLLBACK = "rollback_not_possible";

    private UpgradePath() {}

    /** Returns why a version cannot be upgraded to another one, by that one's rule; null if it can. */
    public static @Nullable Refusal checkUpgrade(
            AppVersionRef from, String noun, String to, String backend, UpgradeRule rule) {
        var current = from.version();
        if (current.equals(to)) {
            return Refusal.of(NO_UPGRADE, "The " + noun + " already runs version " + to + ".");
        }
        if (!rule.isSupported()) {
            return Refusal.of(
                    NO_UPGRADE, "Version " + to + " does not support upgrades to it. Launch a new " + noun + ".");
        }
        if (!from.runtimeBackend().equals(backend)) {
            return Refusal.of(
                    NO_UPGRADE,
                    "Version " + to + " runs on " + backend + ", the " + noun + " on " + from.runtimeBackend()
                            + ". Launch a new " + noun + ".");
        }
        if (rule.versions().isEmpty()
                ? compare(current, to) < 0
                : rule.versions().contains(current)) {
            return null;
        }
        return rule.versions().isEmpty()
                ? Refusal.of(NO_UPGRADE, to + " is earlier than " + current + ". Roll back instead.")
                : Refusal.of(
                        NO_UPGRADE,
                        "Version " + to + " can be upgraded to only from " + String.join(", ", rule.versions()) + ".");
    }

    /** Returns why a version cannot be rolled back, by its own rule; null if it can. */
    public static @Nullable Refusal checkRollback(
            AppVersionRef from, String noun, @Nullable PreviousVersion to, UpgradeRule rule) {
        if (to == null) {
            return Refusal.of(
                    NO_ROLLBACK, "The " + noun + " was not upgraded, so there is no version to roll back to.");
        }
        if (!rule.isSupported()) {
            return Refusal.of(NO_ROLLBACK, "Version " + from.version() + " does not support rollbacks.");
        }
        return rule.versions().isEmpty() || rule.versions().contains(to.version())
                ? null
                : Refusal.of(
                        NO_ROLLBACK,
                        "Version " + from.version() + " can be rolled back only to "
                                + String.join(", ", rule.versions()) + ", not to " + to.version() + ".");
    }

    /** Compares versions part by part: 1.10 is after 1.9; a version with a suffix such as -rc1 is before the one without. */
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
