package dev.slipway.gateway;

import dev.slipway.contract.ApiOperation;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the operation of a request path in a tree of path segments: the cost depends on the path, not on the number of operations. */
final class RouteTable {
    private final Node root = new Node();

    private static final class Node {
        private final Map<String, Node> literal = new HashMap<>();
        private @Nullable Node parameter;
        private @Nullable Node tail;
        private final Map<String, Route> routes = new HashMap<>();

        private String allow() {
            var methods = new TreeSet<>(routes.keySet());
            methods.add("OPTIONS");
            if (methods.contains("GET")) {
                methods.add("HEAD");
            }
            return String.join(", ", methods);
        }
    }

    private record Route(ApiOperation operation, List<String> parameters) {}

    /**
     * The target of a path.
     *
     * @param operation null if the path exists but not with the requested method
     * @param parameters the path parameters, still percent-encoded
     * @param allow the value of the Allow header if there is no operation; empty otherwise
     */
    record Match(@Nullable ApiOperation operation, Map<String, String> parameters, String allow) {}

    RouteTable(List<ApiOperation> operations) {
        operations.forEach(this::add);
    }

    private void add(ApiOperation operation) {
        var node = root;
        var parameters = new ArrayList<String>();
        var segments = segments(operation.path());
        for (var i = 0; i < segments.size(); i++) {
            var segment = segments.get(i);
            if (!segment.startsWith("{")) {
                node = node.literal.computeIfAbsent(segment, ignored -> new Node());
                continue;
            }
            parameters.add(segment.substring(1, segment.length() - 1));
            if (i == segments.size() - 1 && operation.hasMultiSegmentTail()) {
                node.tail = new Node();
                node = node.tail;
            } else {
                if (node.parameter == null) {
                    node.parameter = new Node();
                }
                node = node.parameter;
            }
        }
        node.routes.put(operation.method(), new Route(operation, List.copyOf(parameters)));
    }

    /** Returns null if no operation has the path. HEAD finds the GET operation. */
    @Nullable
    Match find(String method, String path) {
        var values = new ArrayList<String>();
        var node = root;
        var segments = segments(path);
        if (segments.contains("")) {
            return null;
        }
        for (var i = 0; i < segments.size(); i++) {
            var next = node.literal.get(segments.get(i));
            if (next == null) {
                next = node.parameter;
                values.add(segments.get(i));
            }
            if (next == null && node.tail != null) {
                values.set(values.size() - 1, String.join("/", segments.subList(i, segments.size())));
                node = node.tail;
                break;
            }
            if (next == null) {
                return null;
            }
            node = next;
        }
        if (node.routes.isEmpty()) {
            return null;
        }
        var route = node.routes.get(method.equals("HEAD") ? "GET" : method);
        if (route == null) {
            return new Match(null, Map.of(), node.allow());
        }
        var parameters = new HashMap<String, String>();
        for (var i = 0; i < values.size(); i++) {
            parameters.put(route.parameters.get(i), values.get(i));
        }
        return new Match(route.operation, parameters, "");
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
