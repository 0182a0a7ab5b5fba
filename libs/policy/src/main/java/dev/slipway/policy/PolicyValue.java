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

/** The value of a policy key. */
public sealed interface PolicyValue {

    JsonNode json();

    /** A list of allowed entries in the order they were written; the first is used as a default. An empty list allows nothing. */
    sealed interface ListValue extends PolicyValue {
        List<String> texts();

        boolean allows(String entry);

        ListValue intersection(ListValue other);

        ListValue without(ListValue denied);

        ListValue union(ListValue other);

        List<String> entriesNotIn(ListValue other);

        List<String> entriesIn(ListValue other);

        @Override
        default JsonNode json() {
            var array = Json.array();
            texts().forEach(array::add);
            return array;
        }
    }

    /** A list of plain strings. */
    record TextList(Set<String> names) implements ListValue {
        public TextList {
            names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
        }

        @Override
        public List<String> texts() {
            return List.copyOf(names);
        }

        @Override
        public boolean allows(String entry) {
            return names.contains(entry);
        }

        @Override
        public ListValue intersection(ListValue other) {
            return filter(other::allows);
        }

        @Override
        public ListValue without(ListValue denied) {
            return filter(name -> !denied.allows(name));
        }

        @Override
        public ListValue union(ListValue other) {
            var both = new LinkedHashSet<>(names);
            both.addAll(other.texts());
            return new TextList(both);
        }

        @Override
        public List<String> entriesNotIn(ListValue other) {
            return without(other).texts();
        }

        @Override
        public List<String> entriesIn(ListValue other) {
            return filter(other::allows).texts();
        }

        /** Returns this list if nothing is filtered out, which is the common case. */
        private TextList filter(Predicate<String> wanted) {
            for (var each : names) {
                if (!wanted.test(each)) {
                    var filtered = new LinkedHashSet<>(names);
                    filtered.removeIf(name -> !wanted.test(name));
                    return new TextList(filtered);
                }
            }
            return this;
        }
    }

    /** A list of host patterns. Patterns covered by others are removed, so that equivalent lists are equal. */
    record HostPatternList(Set<HostPattern> patterns) implements ListValue {
        public HostPatternList {
            var given = Set.copyOf(patterns);
            var kept = new LinkedHashSet<>(patterns);
            kept.removeIf(
                    pattern -> !pattern.wildcardParent().equals(pattern) && given.contains(pattern.wildcardParent()));
            patterns = Collections.unmodifiableSet(kept);
        }

        static HostPatternList of(Collection<String> texts) {
            var patterns = new LinkedHashSet<HostPattern>();
            for (var text : texts) {
                var pattern = HostPattern.parse(text);
                if (pattern != null) {
                    patterns.add(pattern);
                }
            }
            return new HostPatternList(patterns);
        }

        @Override
        public List<String> texts() {
            return patterns.stream().map(HostPattern::text).toList();
        }

        @Override
        public boolean allows(String source) {
            return patterns.stream().anyMatch(pattern -> pattern.matches(source));
        }

        /** If two patterns overlap, one covers the other, so the narrower one is their intersection. */
        @Override
        public ListValue intersection(ListValue other) {
            var hostPatternList = (HostPatternList) other;
            if (patterns.stream().allMatch(hostPatternList::covers)) {
                return this;
            }
            var both = new LinkedHashSet<HostPattern>();
            for (var mine : patterns) {
                if (hostPatternList.covers(mine)) {
                    both.add(mine);
                }
            }
            for (var theirs : hostPatternList.patterns) {
                if (covers(theirs)) {
                    both.add(theirs);
                }
            }
            return new HostPatternList(both);
        }

        /** Keeps patterns that are only partly denied: denials are checked again for each host. */
        @Override
        public ListValue without(ListValue denied) {
            var kept = new LinkedHashSet<HostPattern>();
            for (var mine : patterns) {
                if (!((HostPatternList) denied).covers(mine)) {
                    kept.add(mine);
                }
            }
            return new HostPatternList(kept);
        }

        @Override
        public ListValue union(ListValue other) {
            var both = new LinkedHashSet<>(patterns);
            both.addAll(((HostPatternList) other).patterns);
            return new HostPatternList(both);
        }

        @Override
        public List<String> entriesNotIn(ListValue other) {
            return without(other).texts();
        }

        @Override
        public List<String> entriesIn(ListValue other) {
            return patterns.stream()
                    .filter(mine -> ((HostPatternList) other).covers(mine))
                    .map(HostPattern::text)
                    .toList();
        }

        private boolean covers(HostPattern narrower) {
            return patterns.contains(narrower) || patterns.contains(narrower.wildcardParent());
        }
    }

    record Limit(long limit) implements PolicyValue {
        @Override
        public JsonNode json() {
            return LongNode.valueOf(limit);
        }
    }

    record Flag(boolean on) implements PolicyValue {
        @Override
        public JsonNode json() {
            return BooleanNode.valueOf(on);
        }
    }
}
