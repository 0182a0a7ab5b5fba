package dev.slipway.embedded;

import org.apache.kafka.common.acl.AclBinding;

import java.util.Map;
import java.util.Set;

/**
 * The users of an embedded broker and what they may do. Without an ACL, a user may do nothing.
 *
 * @param passwords by user
 */
public record BrokerAccess(Map<String, String> passwords, Set<AclBinding> acls) {
    public BrokerAccess {
        passwords = Map.copyOf(passwords);
        acls = Set.copyOf(acls);
    }

    @Override
    public String toString() {
        return "BrokerAccess" + passwords.keySet();
    }
}
