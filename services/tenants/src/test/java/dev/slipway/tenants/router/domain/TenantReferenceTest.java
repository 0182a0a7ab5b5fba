package dev.slipway.tenants.router.domain;

import org.junit.jupiter.api.Test;

import java.util.UUID;

import static org.assertj.core.api.Assertions.assertThat;

class TenantReferenceTest {
    private static final String ID = "01900000-0000-7000-8000-00000000000a";

    @Test
    void of_findsTheId_whereTheStrategySaysItIs() {
        var expected = new TenantReference(UUID.fromString(ID), null);

        assertThat(TenantReference.of(ResolutionStrategy.HEADER, ID)).contains(expected);
        assertThat(TenantReference.of(ResolutionStrategy.SUBDOMAIN, ID + ".apps.test"))
                .contains(expected);
        assertThat(TenantReference.of(ResolutionStrategy.PATH, "/x/tenants/" + ID + "/y"))
                .contains(expected);
        assertThat(TenantReference.of(ResolutionStrategy.LOOKUP, "Research"))
                .contains(new TenantReference(null, "Research"));
        assertThat(TenantReference.of(ResolutionStrategy.TOKEN, null)).contains(new TenantReference(null, null));
    }

    @Test
    void of_isEmpty_whenTheValueHasAnotherForm() {
        assertThat(TenantReference.of(ResolutionStrategy.HEADER, null)).isEmpty();
        assertThat(TenantReference.of(ResolutionStrategy.HEADER, "x' OR 1=1")).isEmpty();
        assertThat(TenantReference.of(ResolutionStrategy.SUBDOMAIN, ID)).isEmpty();
        assertThat(TenantReference.of(ResolutionStrategy.SUBDOMAIN, "www.test")).isEmpty();
        assertThat(TenantReference.of(ResolutionStrategy.PATH, "/tenants/../" + ID))
                .isEmpty();
        assertThat(TenantReference.of(ResolutionStrategy.LOOKUP, "")).isEmpty();
    }
}
