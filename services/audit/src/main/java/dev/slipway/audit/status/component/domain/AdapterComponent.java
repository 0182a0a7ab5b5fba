package dev.slipway.audit.status.component.domain;

/** Names the components of adapters, by the runtime backend that they serve. */
public final class AdapterComponent {
    private static final String PREFIX = "adapter-";
    private static final int MAX_LENGTH = 63;

    private AdapterComponent() {}

    /** Returns the id of the component; ids of components have no dots. */
    public static String id(String runtimeBackend) {
        var id = PREFIX + runtimeBackend.replace('.', '-');
        return id.substring(0, Math.min(MAX_LENGTH, id.length()));
    }

    /** Returns whether the component is an adapter. Operators decide which adapters the public status shows. */
    public static boolean isAdapter(String componentId) {
        return componentId.startsWith(PREFIX);
    }
}
