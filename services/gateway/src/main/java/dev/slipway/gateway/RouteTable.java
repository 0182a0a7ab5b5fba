package dev.slipway.gateway;

import dev.slipway.contract.Operation;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the operation of a path in time that depends on the path alone, not on how many operations there are. */
final class RouteTable {
    private final Node root = new Node();

    private static final class Node {
        private final Map<String, Node> literal = new HashMap<>();
        private @Nullable Node parameter;
        private final Map<String, Route> routes = new HashMap<>();
    }

    private record Route(Operation operation, List<String> parameters) {}

    /** The operation and its path parameters, still percent-encoded; or the methods that the path does have. */
    record Match(@Nullable Operation operation, Map<String, String> parameters, Set<String> methods) {}

    RouteTable(List<Operation> operations) {
        operations.forEach(this::add);
    }

    private void add(Operation operation) {
        var node = root;
        var parameters = new ArrayList<String>();
        for (var segment : segments(operation.path())) {
            if (segment.startsWith("{")) {
                parameters.add(segment.substring(1, segment.length() - 1));
                if (node.parameter == null) {
                    node.parameter = new Node();
                }
                node = node.parameter;
            } else {
                node = node.literal.computeIfAbsent(segment, ignored -> new Node());
            }
        }
        node.routes.put(operation.method(), new Route(operation, List.copyOf(parameters)));
    }

    /** What is at the path, or null if nothing is. */
    @Nullable
    Match find(String method, String path) {
        var values = new ArrayList<String>();
        var node = root;
        for (var segment : segments(path)) {
            var next = node.literal.get(segment);
            if (next == null) {
                next = node.parameter;
                values.add(segment);
            }
            if (next == null || segment.isEmpty()) {
                return null;
            }
            node = next;
        }
        if (node.routes.isEmpty()) {
            return null;
        }
        var route = node.routes.get(method);
        if (route == null) {
            return new Match(null, Map.of(), node.routes.keySet());
        }
        var parameters = new HashMap<String, String>();
        for (var i = 0; i < values.size(); i++) {
            parameters.put(route.parameters.get(i), values.get(i));
        }
        return new Match(route.operation, parameters, node.routes.keySet());
    }

    private static List<String> segments(String path) {
        var segments = new ArrayList<String>();
        var start = 1;
        for (var slash = path.indexOf('/', start); slash >= 0; slash = path.indexOf('/', start)) {
            segments.add(path.substring(start, slash));
            start = slash + 1;
        }
        segments.add(path.substring(Math.min(start, path.length())));
        return segments;
    }
}
