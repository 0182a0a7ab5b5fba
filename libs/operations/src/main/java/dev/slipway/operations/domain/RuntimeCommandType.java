package dev.slipway.operations.domain;

import dev.slipway.contract.domain.TextEnum;

/** The commands that runtime adapters receive. */
public enum RuntimeCommandType implements TextEnum {
    DEPLOY,
    UPGRADE,
    ROLLBACK,
    DELETE,
    MEMBER,
    OPERATE,
    CANCEL;

    /** Returns whether the command starts a generation: it replaces the commands of the generation before. */
    public boolean startsGeneration() {
        return switch (this) {
            case DEPLOY, UPGRADE, ROLLBACK, DELETE -> true;
            case MEMBER, OPERATE, CANCEL -> false;
        };
    }

    /** Returns the command that an operation deploys a version with. */
    public static RuntimeCommandType ofDeployment(Operation.Kind kind) {
        return switch (kind) {
            case CREATE -> DEPLOY;
            case UPGRADE -> UPGRADE;
            case ROLLBACK -> ROLLBACK;
            case DELETE, MEMBER, DECLARED, DETACH ->
                throw new IllegalArgumentException("the operation " + kind.text() + " deploys no version");
        };
    }

    public String eventType() {
        return "runtime.command." + text();
    }
}
