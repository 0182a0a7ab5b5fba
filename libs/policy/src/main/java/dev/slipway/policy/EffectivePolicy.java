package dev.slipway.policy;

import dev.slipway.policy.PolicyDocument.Denial;
import dev.slipway.policy.PolicyValue.Flag;
import dev.slipway.policy.PolicyValue.Limit;
import dev.slipway.policy.PolicyValue.Listed;
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

/** What all levels together leave, key by key, and which of them it is due to. */
public final class EffectivePolicy {
    private static final Comparator<PolicyDocument> WIDEST_FIRST =
            Comparator.comparing(PolicyDocument::level).thenComparing(PolicyDocument::subject);
    private static final int DIGEST_BYTES = 16;

    private final PolicyKeys keys;
    private final List<PolicyDocument> levels;
    private final Map<String, Effect> effects;

    /**
     * What is left of a key.
     *
     * @param value null is no restriction
     * @param denied what is off for good, whatever the value says; null is nothing
     * @param setBy the most specific level that made the value what it is; null where the registry's default holds
     */
    public record Effect(
            PolicyKey key,
            @Nullable PolicyValue value,
            @Nullable Denial denied,
            @Nullable PolicyDocument setBy) {}

    /** Something that a level above does not allow to those below it. */
    public record Widening(String key, Level level, String subject, long version, String reason) {}

    private EffectivePolicy(PolicyKeys keys, List<PolicyDocument> levels, Map<String, Effect> effects) {
        this.keys = keys;
        this.levels = levels;
        this.effects = effects;
    }

    /** In whatever order the levels come. A level that is not among them has no opinion. */
    public static EffectivePolicy compute(PolicyKeys keys, Collection<PolicyDocument> levels) {
        var ordered = new ArrayList<>(levels);
        ordered.sort(WIDEST_FIRST);
        var effects = new LinkedHashMap<String, Effect>(keys.byId().size() * 2);
        for (var key : keys.byId().values()) {
            effects.put(key.id(), effect(key, ordered));
        }
        return new EffectivePolicy(keys, List.copyOf(ordered), effects);
    }

    private static Effect effect(PolicyKey key, List<PolicyDocument> ordered) {
        var value = key.fallback();
        Denial denied = null;
        PolicyDocument setBy = null;
        for (var document : ordered) {
            var said = document.values().get(key.id());
            if (said != null) {
                // The default stands in for the global level until that says something itself.
                var next = value == null || document.level() == Level.GLOBAL ? said : key.narrowed(said, value);
                setBy = next == said || next.equals(said) || !next.equals(value) ? document : setBy;
                value = next;
            }
            var denial = document.hardDenies().get(key.id());
            if (denial != null) {
                denied = denied == null ? denial : denied.and(denial);
            }
        }
        if (denied == null) {
            return new Effect(key, value, null, setBy);
        }
        var left = denied.everything()
                ? key.nothing()
                : value instanceof Listed list ? list.without(denied.listed()) : value;
        return new Effect(key, left, denied, left == null || left.equals(value) ? setBy : denier(key, ordered));
    }

    private static @Nullable PolicyDocument denier(PolicyKey key, List<PolicyDocument> ordered) {
        PolicyDocument last = null;
        for (var document : ordered) {
            last = document.hardDenies().containsKey(key.id()) ? document : last;
        }
        return last;
    }

    public PolicyKeys keys() {
        return keys;
    }

    /** The documents that it was computed from, the widest first. */
    public List<PolicyDocument> levels() {
        return levels;
    }

    public Collection<Effect> effects() {
        return effects.values();
    }

    /** Whether a list allows it: there is no list, or it is on it, and nobody denies it for good. */
    public boolean allows(String key, String asked) {
        var effect = effects.get(key);
        if (effect == null) {
            return true;
        }
        var denied = effect.denied;
        return (denied == null || !denied.denies(asked))
                && (effect.value == null || (effect.value instanceof Listed list && list.allows(asked)));
    }

    /** The same as far as a level has said it: where none has, something else may stand in for the registry's default. */
    public boolean allowsAsSaid(String key, String asked) {
        var effect = effects.get(key);
        if (effect == null || effect.setBy != null) {
            return allows(key, asked);
        }
        return effect.denied == null || !effect.denied.denies(asked);
    }

    /** What a list allows; null is anything that is not denied. */
    public @Nullable List<String> allowed(String key) {
        var effect = effects.get(key);
        return effect != null && effect.value instanceof Listed list ? list.texts() : null;
    }

    /** The level that left of a key what is left of it, for a sentence about it. */
    public String narrowedBy(String key) {
        var effect = effects.get(key);
        var document = effect == null ? null : effect.setBy;
        return document == null
                ? "the registry's default"
                : "the " + document.level().text() + " level (version " + document.version() + ")";
    }

    /** How many at the most; empty is no limit. */
    public OptionalLong limit(String key) {
        var effect = effects.get(key);
        return effect != null && effect.value instanceof Limit number
                ? OptionalLong.of(number.limit())
                : OptionalLong.empty();
    }

    public boolean isOn(String key) {
        var effect = effects.get(key);
        return effect != null && effect.value instanceof Flag flag && flag.on();
    }

    /** Says which documents, in which version, and which keys this came from: the same for the same policy, wherever it is computed. */
    public String version() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var document : levels) {
                if (document.version() > 0) {
                    update(digest, document.level().text(), document.subject(), document.version());
                }
            }
            keys.byId().values().forEach(key -> update(digest, "key", key.id(), key.version()));
            return HexFormat.of().formatHex(digest.digest(), 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    private static void update(MessageDigest digest, String kind, String id, long version) {
        digest.update((kind + '\0' + id + '\0' + version + '\n').getBytes(StandardCharsets.UTF_8));
    }

    /** What a document would allow that the levels here, those above it, do not. Empty: it only narrows. Nothing is above the global one. */
    public List<Widening> widenings(PolicyDocument proposed) {
        if (proposed.level() == Level.GLOBAL) {
            return List.of();
        }
        var found = new ArrayList<Widening>();
        proposed.values().forEach((id, said) -> {
            var effect = effects.get(id);
            if (effect != null) {
                var widening = widening(effect, said);
                if (widening != null) {
                    found.add(widening);
                }
            }
        });
        found.sort(Comparator.comparing(Widening::key));
        return found;
    }

    private @Nullable Widening widening(Effect effect, PolicyValue said) {
        if (!(said instanceof Listed mine)) {
            return effect.value == null || !isBeyond(said, effect.value)
                    ? null
                    : widening(effect, forbidding(effect, said), "leaves " + effect.value.json());
        }
        var denied = effect.denied;
        if (denied != null) {
            var dead = dead(mine, denied);
            if (!dead.isEmpty()) {
                return widening(effect, denying(effect.key, mine), "denies " + dead + " for good");
            }
        }
        var beyond = effect.value instanceof Listed list ? mine.beyond(list) : List.<String>of();
        return beyond.isEmpty()
                ? null
                : widening(
                        effect,
                        forbidding(effect, effect.key.listed(new LinkedHashSet<>(beyond))),
                        "leaves no " + beyond);
    }

    private static List<String> dead(Listed wanted, Denial denial) {
        return denial.everything() ? wanted.texts() : wanted.within(denial.listed());
    }

    /** The widest level that denies something of it for good. */
    private @Nullable PolicyDocument denying(PolicyKey key, Listed wanted) {
        for (var document : levels) {
            var denial = document.hardDenies().get(key.id());
            if (denial != null && !dead(wanted, denial).isEmpty()) {
                return document;
            }
        }
        return null;
    }

    /** The widest level that does not allow what is wanted. */
    private @Nullable PolicyDocument forbidding(Effect effect, PolicyValue wanted) {
        for (var document : levels) {
            var said = document.values().get(effect.key.id());
            if (said != null && isBeyond(wanted, said)) {
                return document;
            }
        }
        return null;
    }

    private static boolean isBeyond(PolicyValue wanted, PolicyValue allowed) {
        if (wanted instanceof Limit mine && allowed instanceof Limit most) {
            return mine.limit() > most.limit();
        }
        if (wanted instanceof Flag mine && allowed instanceof Flag flag) {
            return mine.on() && !flag.on();
        }
        return wanted instanceof Listed mine
                && allowed instanceof Listed list
                && !mine.beyond(list).isEmpty();
    }

    private static Widening widening(Effect effect, @Nullable PolicyDocument by, String reason) {
        var document = by == null ? PolicyDocument.silent(Level.GLOBAL, PolicyDocument.PLATFORM) : by;
        return new Widening(effect.key.id(), document.level(), document.subject(), document.version(), reason);
    }
}
