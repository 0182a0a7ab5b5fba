package dev.slipway.standalone;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;

import java.text.ParseException;

/** What a token says, read without checking it. */
record TokenText(String kid, JWTClaimsSet claims) {
    static TokenText of(String token) {
        try {
            var jwt = SignedJWT.parse(token);
            return new TokenText(jwt.getHeader().getKeyID(), jwt.getJWTClaimsSet());
        } catch (ParseException e) {
            throw new AssertionError(e);
        }
    }

    String jti() {
        return claims.getJWTID();
    }

    String text(String claim) {
        return String.valueOf(claims.getClaim(claim));
    }
}
