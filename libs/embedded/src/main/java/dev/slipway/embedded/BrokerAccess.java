package dev.slipway.embedded;

import org.apache.kafka.common.acl.AclBinding;

import java.util.Map;
import java.util.Set;

/**
 * The users of an embedded broker and what they may do. Without an ACL, a user may do nothing.
 *
 * @param passwords by user
 * @param inProcessGroups the beginnings of the names of consumer groups whose members run in the process of the broker
 */
public record BrokerAccess(Map<String, String> passwords, Set<AclBinding> acls, Set<String> inProcessGroups) {
    public BrokerAccess {
        passwords = Map.copyOf(passwords);
        acls = Set.copyOf(acls);
        inProcessGroups = Set.copyOf(inProcessGroups);
    }

    public BrokerAccess(Map<String, String> passwords, Set<AclBinding> acls) {
        this(passwords, acls, Set.of());
    }

    @Override
    public String toString() {
        return "BrokerAccess" + passwords.keySet();
    }
}
