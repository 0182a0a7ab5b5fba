package dev.slipway.authz;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one principal or group holds. A few bindings are one small array, since most hold no more and there are very many of them; more than
 * a few are found by place, so that neither a decision nor the next binding takes longer for it. One thread writes, any may read.
 */
final class Holdings {
    private static final int FEW = 32;
    private static final Binding[] NONE = {};

    private final UUID owner;
    private volatile Binding[] few = NONE;
    private volatile @Nullable Many many;

    private record Many(Map<UUID, Binding> byId, Map<UUID, Binding[]> byPlace) {}

    Holdings(UUID owner) {
        this.owner = owner;
    }

    /** The one instance of the owner's id that all its bindings share. */
    UUID owner() {
        return owner;
    }

    /** All that are held at the place, and perhaps others. */
    Binding[] near(UUID place) {
        var indexed = many;
        return indexed == null ? few : indexed.byPlace.getOrDefault(place, NONE);
    }

    Collection<Binding> all() {
        var indexed = many;
        return indexed == null ? Arrays.asList(few) : indexed.byId.values();
    }

    boolean isEmpty() {
        return all().isEmpty();
    }

    void put(Binding binding) {
        var indexed = many;
        if (indexed != null) {
            put(indexed, binding);
            return;
        }
        var next = with(few, binding);
        if (next.length <= FEW) {
            few = next;
            return;
        }
        var created = new Many(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        for (var one : next) {
            put(created, one);
        }
        many = created; // a reader that came before it goes on with the few
    }

    void remove(UUID bindingId) {
        var indexed = many;
        if (indexed == null) {
            few = without(few, bindingId);
            return;
        }
        var old = indexed.byId.remove(bindingId);
        if (old != null) {
            removeFromPlace(indexed, old);
        }
    }

    private static void put(Many indexed, Binding binding) {
        var place = Objects.requireNonNull(binding.place());
        var old = indexed.byId.put(binding.id(), binding);
        indexed.byPlace.put(place, with(indexed.byPlace.getOrDefault(place, NONE), binding));
        if (old != null && !place.equals(old.place())) {
            removeFromPlace(indexed, old);
        }
    }

    private static void removeFromPlace(Many indexed, Binding old) {
        var place = Objects.requireNonNull(old.place());
        var left = without(indexed.byPlace.getOrDefault(place, NONE), old.id());
        if (left.length == 0) {
            indexed.byPlace.remove(place);
        } else {
            indexed.byPlace.put(place, left);
        }
    }

    private static Binding[] with(Binding[] held, Binding binding) {
        for (var i = 0; i < held.length; i++) {
            if (held[i].id().equals(binding.id())) {
                var replaced = held.clone();
                replaced[i] = binding;
                return replaced;
            }
        }
        var longer = Arrays.copyOf(held, held.length + 1);
        longer[held.length] = binding;
        return longer;
    }

    private static Binding[] without(Binding[] held, UUID bindingId) {
        return Arrays.stream(held).filter(b -> !b.id().equals(bindingId)).toArray(Binding[]::new);
    }
}
