package dev.slipway.tenants.router.domain;

import dev.slipway.contract.domain.TextEnum;

/** The part of a request that names its tenant. */
public enum ResolutionStrategy implements TextEnum {
    /** The organization of the caller's token. */
    TOKEN,
    /** The header X-Tenant-ID. */
    HEADER,
    /** The host name, whose first label is the tenant id. */
    SUBDOMAIN,
    /** A path that contains {@code /tenants/<tenant id>}. */
    PATH,
    /** A key that is looked up: the display name of the tenant. */
    LOOKUP
}
