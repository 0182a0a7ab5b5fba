package dev.slipway.tenants.router.domain;

/** How a request names its tenant. */
public enum ResolutionStrategy {
    /** By the organization of the caller's token. */
    TOKEN,
    /** By the header X-Tenant-ID. */
    HEADER,
    /** By the host name, whose first label is the tenant id. */
    SUBDOMAIN,
    /** By a path that contains {@code /tenants/<tenant id>}. */
    PATH,
    /** By a key that is looked up: the display name of the tenant. */
    LOOKUP
}
