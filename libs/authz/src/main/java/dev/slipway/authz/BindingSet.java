package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The bindings of one principal or group. One thread changes it and keeps the returned set; any thread may read. */
sealed interface BindingSet {
    /** Returns the bindings at the scope. */
    Binding[] findAt(Level level, UUID scopeId);

    Collection<Binding> all();

    /** Returns the set with the binding, which replaces one with the same id. */
    BindingSet with(Binding binding);

    BindingSet without(UUID bindingId);

    /** A set for most principals: immutable and compact, because there are very many of them. */
    final class Small implements BindingSet {
        static final Small NONE = new Small(BindingArrays.NONE);
        private static final int MAX_SIZE = 32;

        private final Binding[] bindings;
        /** The hash of every binding's scope id, so that bindings at other scopes are skipped without reading them. */
        private final int[] scopeHashes;

        private Small(Binding[] bindings) {
            this.bindings = bindings;
            this.scopeHashes = new int[bindings.length];
            for (var i = 0; i < bindings.length; i++) {
                scopeHashes[i] = Objects.requireNonNull(bindings[i].scopeId()).hashCode();
            }
        }

        @Override
        public Binding[] findAt(Level level, UUID scopeId) {
            var hash = scopeId.hashCode();
            var found = BindingArrays.NONE;
            for (var i = 0; i < scopeHashes.length; i++) {
                if (scopeHashes[i] == hash && bindings[i].isHeldAt(level, scopeId)) {
                    found = BindingArrays.with(found, bindings[i]);
                }
            }
            return found;
        }

        @Override
        public Collection<Binding> all() {
            return Arrays.asList(bindings);
        }

        @Override
        public BindingSet with(Binding binding) {
            var next = BindingArrays.with(bindings, binding);
            return next.length <= MAX_SIZE ? new Small(next) : new Indexed(next);
        }

        @Override
        public BindingSet without(UUID bindingId) {
            return new Small(BindingArrays.without(bindings, bindingId));
        }
    }

    /** A set for many bindings, indexed by scope, so that neither decisions nor changes depend on its size. */
    final class Indexed implements BindingSet {
        private final Map<UUID, Binding> byId = new ConcurrentHashMap<>();
        private final Map<UUID, Binding[]> byScope = new ConcurrentHashMap<>();

        private Indexed(Binding[] bindings) {
            for (var binding : bindings) {
                put(binding);
            }
        }

        @Override
        public Binding[] findAt(Level level, UUID scopeId) {
            return Arrays.stream(byScope.getOrDefault(scopeId, BindingArrays.NONE))
                    .filter(binding -> binding.level() == level)
                    .toArray(Binding[]::new);
        }

        @Override
        public Collection<Binding> all() {
            return byId.values();
        }

        @Override
        public BindingSet with(Binding binding) {
            put(binding);
            return this;
        }

        @Override
        public BindingSet without(UUID bindingId) {
            var old = byId.remove(bindingId);
            if (old != null) {
                removeFromScope(old);
            }
            return this;
        }

        private void put(Binding binding) {
            var scopeId = Objects.requireNonNull(binding.scopeId());
            var old = byId.put(binding.id(), binding);
            byScope.put(scopeId, BindingArrays.with(byScope.getOrDefault(scopeId, BindingArrays.NONE), binding));
            if (old != null && !scopeId.equals(old.scopeId())) {
                removeFromScope(old);
            }
        }

        private void removeFromScope(Binding old) {
            var scopeId = Objects.requireNonNull(old.scopeId());
            var left = BindingArrays.without(byScope.getOrDefault(scopeId, BindingArrays.NONE), old.id());
            if (left.length == 0) {
                byScope.remove(scopeId);
            } else {
                byScope.put(scopeId, left);
            }
        }
    }

    /** Changes to arrays that other threads may be reading: each change returns a new array. */
    final class BindingArrays {
        static final Binding[] NONE = {};

        private BindingArrays() {}

        static Binding[] with(Binding[] held, Binding binding) {
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

        static Binding[] without(Binding[] held, UUID bindingId) {
            return Arrays.stream(held).filter(b -> !b.id().equals(bindingId)).toArray(Binding[]::new);
        }
    }
}
