package dev.slipway.instances.member.domain;

import java.util.Set;

/**
 * A role of members, as the manifest declares it.
 *
 * @param initial the number of members of a new instance
 * @param allowed the member operations beside add, drain, remove and replace
 */
public record Component(String key, int min, int max, int initial, Set<MemberOperation> allowed) {

    public boolean allows(MemberOperation operation) {
        return switch (operation) {
            case ADD, DRAIN, REMOVE, REPLACE -> true;
            case CORDON, UNCORDON, LABEL -> allowed.contains(operation);
        };
    }
}
