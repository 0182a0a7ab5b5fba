package dev.slipway.authz;

import dev.slipway.authz.Binding.Level;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What one principal or group holds. One thread changes it, and keeps what the change answers; any may read. */
sealed interface Holdings {
    /** Those that are held at the place. */
    Binding[] at(Level level, UUID place);

    Collection<Binding> all();

    /** With the binding, in place of one of the same id. */
    Holdings with(Binding binding);

    Holdings without(UUID bindingId);

    /** What nearly everybody has: small, since there are very many of them, and unchanging. */
    final class Few implements Holdings {
        static final Few NONE = new Few(Bindings.NONE);
        private static final int MOST = 32;

        private final Binding[] bindings;
        /** A mark of every binding's place: those that are held elsewhere, most of them, need not even be looked at. */
        private final int[] marks;

        private Few(Binding[] bindings) {
            this.bindings = bindings;
            this.marks = new int[bindings.length];
            for (var i = 0; i < bindings.length; i++) {
                marks[i] = Objects.requireNonNull(bindings[i].place()).hashCode();
            }
        }

        @Override
        public Binding[] at(Level level, UUID place) {
            var mark = place.hashCode();
            var found = Bindings.NONE;
            for (var i = 0; i < marks.length; i++) {
                if (marks[i] == mark && bindings[i].isAt(level, place)) {
                    found = Bindings.with(found, bindings[i]);
                }
            }
            return found;
        }

        @Override
        public Collection<Binding> all() {
            return Arrays.asList(bindings);
        }

        @Override
        public Holdings with(Binding binding) {
            var next = Bindings.with(bindings, binding);
            return next.length <= MOST ? new Few(next) : new Many(next);
        }

        @Override
        public Holdings without(UUID bindingId) {
            return new Few(Bindings.without(bindings, bindingId));
        }
    }

    /** More than a few: found by place, so that neither a decision nor the next binding takes longer for it. */
    final class Many implements Holdings {
        private final Map<UUID, Binding> byId = new ConcurrentHashMap<>();
        private final Map<UUID, Binding[]> byPlace = new ConcurrentHashMap<>();

        private Many(Binding[] bindings) {
            for (var binding : bindings) {
                put(binding);
            }
        }

        @Override
        public Binding[] at(Level level, UUID place) {
            return Arrays.stream(byPlace.getOrDefault(place, Bindings.NONE))
                    .filter(binding -> binding.level() == level)
                    .toArray(Binding[]::new);
        }

        @Override
        public Collection<Binding> all() {
            return byId.values();
        }

        @Override
        public Holdings with(Binding binding) {
            put(binding);
            return this;
        }

        @Override
        public Holdings without(UUID bindingId) {
            var old = byId.remove(bindingId);
            if (old != null) {
                removeFromPlace(old);
            }
            return this;
        }

        private void put(Binding binding) {
            var place = Objects.requireNonNull(binding.place());
            var old = byId.put(binding.id(), binding);
            byPlace.put(place, Bindings.with(byPlace.getOrDefault(place, Bindings.NONE), binding));
            if (old != null && !place.equals(old.place())) {
                removeFromPlace(old);
            }
        }

        private void removeFromPlace(Binding old) {
            var place = Objects.requireNonNull(old.place());
            var left = Bindings.without(byPlace.getOrDefault(place, Bindings.NONE), old.id());
            if (left.length == 0) {
                byPlace.remove(place);
            } else {
                byPlace.put(place, left);
            }
        }
    }

    /** Changes of arrays that readers may be looking at: always to a new one. */
    final class Bindings {
        static final Binding[] NONE = {};

        private Bindings() {}

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
