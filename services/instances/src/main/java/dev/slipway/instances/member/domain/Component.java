package dev.slipway.instances.member.domain;

import java.util.Set;

/**
 * A role that members of an instance have, as the manifest says.
 *
 * @param initial how many there are at first
 * @param allowed what may be done with members beside adding, draining, removing and replacing
 */
public record Component(String key, int min, int max, int initial, Set<MemberOperation> allowed) {

    public boolean allows(MemberOperation operation) {
        return switch (operation) {
            case ADD, DRAIN, REMOVE, REPLACE -> true;
            case CORDON, UNCORDON, LABEL -> allowed.contains(operation);
        };
    }
}
