package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;
import org.jspecify.annotations.Nullable;

import java.util.UUID;

/** One piece of evidence that a gate requires, its status and the reason. */
public record GateFinding(
        String evidenceType,
        String subject,
        Status status,
        @Nullable UUID evidenceId,
        String explanation) {
    /** The state of a requirement; all but satisfied and not applicable block the gate. */
    public enum Status implements TextEnum {
        SATISFIED,
        MISSING,
        FAILING,
        OTHER_REVISION,
        OTHER_ENVIRONMENT,
        NOT_APPLICABLE
    }

    public boolean blocks() {
        return status != Status.SATISFIED && status != Status.NOT_APPLICABLE;
    }
}
