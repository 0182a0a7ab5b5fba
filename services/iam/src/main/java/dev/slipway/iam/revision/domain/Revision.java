package dev.slipway.iam.revision.domain;

/**
 * The next revision of the authorization data, and the records that are published with it. A change that publishes nothing leaves the
 * revision as it is.
 */
public final class Revision {
    private final long next;
    private final Publisher publisher;
    private boolean changed;

    /** The topics that carry revisions. */
    public enum Stream {
        /** The data that authorization decisions depend on. */
        AUTHZ,
        /** Organizations, projects and accounts, for the read models of other services. */
        IAM
    }

    /** Publishes records in the transaction of the change. */
    @FunctionalInterface
    public interface Publisher {
        void publish(Stream stream, String key, String eventType, Object payload);
    }

    public Revision(long next, Publisher publisher) {
        this.next = next;
        this.publisher = publisher;
    }

    /** Returns the revision that the transaction leaves behind: the previous one as long as nothing was published. */
    public long number() {
        return changed ? next : next - 1;
    }

    public boolean isChanged() {
        return changed;
    }

    public void publishAuthz(String key, String eventType, Object payload) {
        publish(Stream.AUTHZ, key, eventType, payload);
    }

    public void publishState(String key, String eventType, Object payload) {
        publish(Stream.IAM, key, eventType, payload);
    }

    private void publish(Stream stream, String key, String eventType, Object payload) {
        changed = true;
        publisher.publish(stream, key, eventType, payload);
    }
}
