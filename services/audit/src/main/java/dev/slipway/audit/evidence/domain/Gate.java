package dev.slipway.audit.evidence.domain;

import dev.slipway.contract.domain.TextEnum;

/** The release gates. */
public enum Gate implements TextEnum {
    CONTRACT_DRIFT("Platform Architecture and the owning domain"),
    ACCEPTANCE("Product/UI and the owning domain"),
    SECURITY_EVIDENCE("Security and Platform Control"),
    ENVIRONMENT_PROFILE("Platform Control"),
    CAPACITY_RESERVE("Provisioning and Operations"),
    APPROVAL_AND_RESIDUAL_RISK("Product, Platform and, where applicable, Security");

    private final String owner;

    Gate(String owner) {
        this.owner = owner;
    }

    public String owner() {
        return owner;
    }
}
