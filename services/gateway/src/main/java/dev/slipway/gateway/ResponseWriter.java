package dev.slipway.gateway;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;

/**
 * Ends responses: omits the body of HEAD, and compresses large bodies.
 *
 * <p>The HTTP server's own compression stays off. It has no size limit over HTTP/2, and in Vert.x 5.0.8 one uncompressed response on an
 * HTTP/2 connection makes all later ones say {@code Content-Encoding: gzip} over plain bytes.
 */
final class ResponseWriter {
    /** Up to a few TCP segments, compression costs more than it saves. */
    static final int MIN_COMPRESSED_BYTES = 4_096;

    private static final CharSequence GZIP = HttpHeaders.createOptimized("gzip");

    private ResponseWriter() {}

    static void end(RoutingContext routing, int status, CharSequence contentType, Buffer body) {
        var response = routing.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, contentType);
        if (routing.request().method().equals(HttpMethod.HEAD)) {
            response.putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(body.length()));
            var ignored = response.end();
        } else {
            var ignored = response.end(body);
        }
    }

    /** Compresses the body if it is large and the client accepts gzip. */
    static void endCompressible(RoutingContext routing, int status, CharSequence contentType, Buffer body) {
        if (body.length() < MIN_COMPRESSED_BYTES) {
            end(routing, status, contentType, body);
        } else if (negotiateGzip(routing)) {
            end(routing, status, contentType, compress(body.getBytes()));
        } else {
            end(routing, status, contentType, body);
        }
    }

    static void endEmpty(RoutingContext routing, HttpResponseStatus status) {
        var ignored = routing.response().setStatusCode(status.code()).end();
    }

    /** Sets the response headers of the encoding that the client accepts; returns whether that is gzip. */
    static boolean negotiateGzip(RoutingContext routing) {
        var headers = routing.response().headers();
        headers.add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        var accepted = routing.parsedHeaders().acceptEncoding().stream()
                .anyMatch(encoding -> encoding.weight() > 0
                        && (encoding.value().equalsIgnoreCase("gzip")
                                || encoding.value().equals("*")));
        if (accepted) {
            headers.set(HttpHeaders.CONTENT_ENCODING, GZIP);
        }
        return accepted;
    }

    static Buffer compress(byte[] body) {
        var out = new ByteArrayOutputStream(body.length / 4);
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Buffer.buffer(out.toByteArray());
    }
}
