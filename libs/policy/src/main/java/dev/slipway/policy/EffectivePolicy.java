package dev.slipway.policy;

import dev.slipway.policy.PolicyDocument.Denial;
import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.ListValue;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The combination of all policy levels: the effective value of each key and the level that set it. */
public final class EffectivePolicy {
    private static final Comparator<PolicyDocument> WIDEST_FIRST =
            Comparator.comparing(PolicyDocument::level).thenComparing(PolicyDocument::subject);
    private static final int DIGEST_BYTES = 16;

    private final PolicyKeys keys;
    private final List<PolicyDocument> documents;
    private final Map<String, EffectiveValue> effectiveValues;

    /**
     * The effective value of a key.
     *
     * @param value null means no restriction
     * @param denied entries that no level can allow; null if there are none
     * @param setBy the most specific level that determined the value; null if the registry's default applies
     */
    public record EffectiveValue(
            PolicyKey key,
            @Nullable PolicyValue value,
            @Nullable Denial denied,
            @Nullable PolicyDocument setBy) {}

    /** An attempt to allow more than a level above allows. The level, subject and version identify the document that forbids it. */
    public record Widening(String key, PolicyLevel level, String subject, long version, String reason) {}

    private EffectivePolicy(PolicyKeys keys, List<PolicyDocument> levels, Map<String, EffectiveValue> effects) {
        this.keys = keys;
        this.documents = levels;
        this.effectiveValues = effects;
    }

    /** Computes the effective policy. The order of the documents does not matter; a missing level has no opinion. */
    public static EffectivePolicy compute(PolicyKeys keys, Collection<PolicyDocument> levels) {
        var ordered = new ArrayList<>(levels);
        ordered.sort(WIDEST_FIRST);
        var effects = new LinkedHashMap<String, EffectiveValue>(keys.byId().size() * 2);
        for (var key : keys.byId().values()) {
            effects.put(key.id(), computeValue(key, ordered));
        }
        return new EffectivePolicy(keys, List.copyOf(ordered), effects);
    }

    private static EffectiveValue computeValue(PolicyKey key, List<PolicyDocument> ordered) {
        var value = key.defaultValue();
        Denial denied = null;
        PolicyDocument setBy = null;
        for (var document : ordered) {
            var own = document.values().get(key.id());
            if (own != null) {
                // A global value replaces the registry's default; all other levels narrow it.
                var next = value == null || document.level() == PolicyLevel.GLOBAL ? own : key.intersect(own, value);
                setBy = next == own || next.equals(own) || !next.equals(value) ? document : setBy;
                value = next;
            }
            var denial = document.hardDenies().get(key.id());
            if (denial != null) {
                denied = denied == null ? denial : denied.union(denial);
            }
        }
        if (denied == null) {
            return new EffectiveValue(key, value, null, setBy);
        }
        var remaining = denied.everything()
                ? key.mostRestrictive()
                : value instanceof ListValue list ? list.without(denied.listed()) : value;
        return new EffectiveValue(
                key,
                remaining,
                denied,
                remaining == null || remaining.equals(value) ? setBy : findDenier(key, ordered));
    }

    private static @Nullable PolicyDocument findDenier(PolicyKey key, List<PolicyDocument> ordered) {
        PolicyDocument last = null;
        for (var document : ordered) {
            last = document.hardDenies().containsKey(key.id()) ? document : last;
        }
        return last;
    }

    public PolicyKeys keys() {
        return keys;
    }

    /** Returns the documents this policy was computed from, the widest level first. */
    public List<PolicyDocument> documents() {
        return documents;
    }

    public Collection<EffectiveValue> effectiveValues() {
        return effectiveValues.values();
    }

    /** Returns whether a list allows an entry: the key has no restriction or contains the entry, and no level denies it. */
    public boolean allows(String key, String entry) {
        var effectiveValue = effectiveValues.get(key);
        if (effectiveValue == null) {
            return true;
        }
        var denied = effectiveValue.denied;
        return (denied == null || !denied.denies(entry))
                && (effectiveValue.value == null
                        || (effectiveValue.value instanceof ListValue list && list.allows(entry)));
    }

    /** Like {@link #allows}, but ignores the registry's default: if no level sets the key, only hard denies apply. */
    public boolean allowsExplicitly(String key, String entry) {
        var effectiveValue = effectiveValues.get(key);
        if (effectiveValue == null || effectiveValue.setBy != null) {
            return allows(key, entry);
        }
        return effectiveValue.denied == null || !effectiveValue.denied.denies(entry);
    }

    /** Returns the allowed entries of a list; null means everything that is not denied. */
    public @Nullable List<String> allowed(String key) {
        var effectiveValue = effectiveValues.get(key);
        return effectiveValue != null && effectiveValue.value instanceof ListValue list ? list.texts() : null;
    }

    /** Describes the level that determined the value of a key, for use in messages. */
    public String describeSource(String key) {
        var effectiveValue = effectiveValues.get(key);
        var document = effectiveValue == null ? null : effectiveValue.setBy;
        return document == null
                ? "the registry's default"
                : "the " + document.level().text() + " level (version " + document.version() + ")";
    }

    /** Returns the limit of a numeric key; empty means no limit. */
    public OptionalLong limit(String key) {
        var effectiveValue = effectiveValues.get(key);
        return effectiveValue != null && effectiveValue.value instanceof Limit number
                ? OptionalLong.of(number.limit())
                : OptionalLong.empty();
    }

    public boolean isOn(String key) {
        var effectiveValue = effectiveValues.get(key);
        return effectiveValue != null && effectiveValue.value instanceof Flag flag && flag.on();
    }

    /** Returns a digest of the documents and keys, with their versions. Equal policies have equal versions in every service. */
    public String version() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var document : documents) {
                if (document.version() > 0) {
                    update(digest, document.level().text(), document.subject(), document.version());
                }
            }
            keys.byId().values().forEach(key -> update(digest, "key", key.id(), key.version()));
            return HexFormat.of().formatHex(digest.digest(), 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available", e);
        }
    }

    private static void update(MessageDigest digest, String kind, String id, long version) {
        digest.update((kind + '\0' + id + '\0' + version + '\n').getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns the values that a proposed document would newly allow. This policy must consist of the levels above it. Empty if it only
     * narrows; always empty for the global level.
     */
    public List<Widening> widenings(PolicyDocument proposed) {
        if (proposed.level() == PolicyLevel.GLOBAL) {
            return List.of();
        }
        var found = new ArrayList<Widening>();
        proposed.values().forEach((id, wanted) -> {
            var effectiveValue = effectiveValues.get(id);
            if (effectiveValue != null) {
                var widening = findWidening(effectiveValue, wanted);
                if (widening != null) {
                    found.add(widening);
                }
            }
        });
        found.sort(Comparator.comparing(Widening::key));
        return found;
    }

    private @Nullable Widening findWidening(EffectiveValue effectiveValue, PolicyValue wanted) {
        if (!(wanted instanceof ListValue wantedList)) {
            return effectiveValue.value == null || !isWider(wanted, effectiveValue.value)
                    ? null
                    : widening(
                            effectiveValue,
                            findForbiddingDocument(effectiveValue, wanted),
                            "allows only " + effectiveValue.value.json());
        }
        var denied = effectiveValue.denied;
        if (denied != null) {
            var deniedEntries = deniedEntries(wantedList, denied);
            if (!deniedEntries.isEmpty()) {
                return widening(
                        effectiveValue, findDenyingDocument(effectiveValue.key, wantedList), "denies " + deniedEntries);
            }
        }
        var beyond = effectiveValue.value instanceof ListValue list ? wantedList.entriesNotIn(list) : List.<String>of();
        return beyond.isEmpty()
                ? null
                : widening(
                        effectiveValue,
                        findForbiddingDocument(effectiveValue, effectiveValue.key.listOf(new LinkedHashSet<>(beyond))),
                        "does not allow " + beyond);
    }

    private static List<String> deniedEntries(ListValue wanted, Denial denial) {
        return denial.everything() ? wanted.texts() : wanted.entriesIn(denial.listed());
    }

    /** Returns the widest document that denies one of the wanted entries. */
    private @Nullable PolicyDocument findDenyingDocument(PolicyKey key, ListValue wanted) {
        for (var document : documents) {
            var denial = document.hardDenies().get(key.id());
            if (denial != null && !deniedEntries(wanted, denial).isEmpty()) {
                return document;
            }
        }
        return null;
    }

    /** Returns the widest document that does not allow the wanted value. */
    private @Nullable PolicyDocument findForbiddingDocument(EffectiveValue effectiveValue, PolicyValue wanted) {
        for (var document : documents) {
            var own = document.values().get(effectiveValue.key.id());
            if (own != null && isWider(wanted, own)) {
                return document;
            }
        }
        return null;
    }

    private static boolean isWider(PolicyValue wanted, PolicyValue allowed) {
        if (wanted instanceof Limit mine && allowed instanceof Limit most) {
            return mine.limit() > most.limit();
        }
        if (wanted instanceof Flag mine && allowed instanceof Flag flag) {
            return mine.on() && !flag.on();
        }
        return wanted instanceof ListValue mine
                && allowed instanceof ListValue list
                && !mine.entriesNotIn(list).isEmpty();
    }

    private static Widening widening(EffectiveValue effectiveValue, @Nullable PolicyDocument by, String reason) {
        var document = by == null ? PolicyDocument.empty(PolicyLevel.GLOBAL, PolicyDocument.PLATFORM) : by;
        return new Widening(effectiveValue.key.id(), document.level(), document.subject(), document.version(), reason);
    }
}
