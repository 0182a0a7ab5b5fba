package dev.slipway.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.slipway.contract.Json;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** What a level says about a key, or all of them together. */
public sealed interface PolicyValue {

    JsonNode json();

    /** What is allowed; empty is nothing. In the order in which it was written: the first is the default where one is needed. */
    sealed interface Listed extends PolicyValue {
        List<String> texts();

        boolean allows(String asked);

        /** What both allow. */
        Listed common(Listed other);

        Listed without(Listed denied);

        /** Both together. */
        Listed and(Listed other);

        /** What this allows and the other does not. */
        List<String> beyond(Listed other);

        /** What this allows and the other allows, too. */
        List<String> within(Listed other);

        @Override
        default JsonNode json() {
            var array = Json.array();
            texts().forEach(array::add);
            return array;
        }
    }

    /** Names that are equal or not. */
    record Texts(Set<String> names) implements Listed {
        public Texts {
            names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        }

        @Override
        public List<String> texts() {
            return List.copyOf(names);
        }

        @Override
        public boolean allows(String asked) {
            return names.contains(asked);
        }

        @Override
        public Listed common(Listed other) {
            return kept(other::allows);
        }

        @Override
        public Listed without(Listed denied) {
            return kept(name -> !denied.allows(name));
        }

        @Override
        public Listed and(Listed other) {
            var both = new LinkedHashSet<>(names);
            both.addAll(other.texts());
            return new Texts(both);
        }

        @Override
        public List<String> beyond(Listed other) {
            return without(other).texts();
        }

        @Override
        public List<String> within(Listed other) {
            return kept(other::allows).texts();
        }

        /** Itself where all are wanted, which is the usual: levels mostly agree. */
        private Texts kept(Predicate<String> wanted) {
            for (var each : names) {
                if (!wanted.test(each)) {
                    var kept = new LinkedHashSet<>(names);
                    kept.removeIf(name -> !wanted.test(name));
                    return new Texts(kept);
                }
            }
            return this;
        }
    }

    /** Hosts, of which one pattern may cover others. */
    record Hosts(Set<HostPattern> patterns) implements Listed {
        public Hosts {
            patterns = Collections.unmodifiableSet(new LinkedHashSet<>(patterns));
        }

        static Hosts of(Collection<String> texts) {
            var patterns = new LinkedHashSet<HostPattern>();
            for (var text : texts) {
                var pattern = HostPattern.of(text);
                if (pattern != null) {
                    patterns.add(pattern);
                }
            }
            return new Hosts(patterns);
        }

        @Override
        public List<String> texts() {
            return patterns.stream().map(HostPattern::text).toList();
        }

        @Override
        public boolean allows(String source) {
            return patterns.stream().anyMatch(pattern -> pattern.matches(source));
        }

        /** Of two patterns that overlap one covers the other, so the narrower is what they share. */
        @Override
        public Listed common(Listed other) {
            var hosts = (Hosts) other;
            if (patterns.stream().allMatch(hosts::covers)) {
                return this;
            }
            var both = new LinkedHashSet<HostPattern>();
            for (var mine : patterns) {
                for (var theirs : hosts.patterns) {
                    if (theirs.covers(mine)) {
                        both.add(mine);
                    } else if (mine.covers(theirs)) {
                        both.add(theirs);
                    }
                }
            }
            return new Hosts(both);
        }

        /** A pattern of which only a part is denied stays: that part is looked for at each use. */
        @Override
        public Listed without(Listed denied) {
            var kept = new LinkedHashSet<HostPattern>();
            for (var mine : patterns) {
                if (!((Hosts) denied).covers(mine)) {
                    kept.add(mine);
                }
            }
            return new Hosts(kept);
        }

        @Override
        public Listed and(Listed other) {
            var both = new LinkedHashSet<>(patterns);
            both.addAll(((Hosts) other).patterns);
            return new Hosts(both);
        }

        @Override
        public List<String> beyond(Listed other) {
            return without(other).texts();
        }

        @Override
        public List<String> within(Listed other) {
            return patterns.stream()
                    .filter(mine -> ((Hosts) other).covers(mine))
                    .map(HostPattern::text)
                    .toList();
        }

        private boolean covers(HostPattern narrower) {
            for (var pattern : patterns) {
                if (pattern.covers(narrower)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** How many at the most. */
    record Limit(long limit) implements PolicyValue {
        @Override
        public JsonNode json() {
            return LongNode.valueOf(limit);
        }
    }

    /** Whether it is on. */
    record Flag(boolean on) implements PolicyValue {
        @Override
        public JsonNode json() {
            return BooleanNode.valueOf(on);
        }
    }
}
