package dev.slipway.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.Http1xServerConnection;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Decodes HTTP/1.x and rejects requests that a proxy in front of the gateway could frame or route differently. Netty's decoder accepts them.
 * After a rejected request it decodes nothing more, so that bytes behind it are never taken for another request.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
    private static final AttributeKey<Runnable> INVALID_BODY_HANDLER =
            AttributeKey.valueOf(StrictRequestDecoder.class, "invalidBodyHandler");

    private boolean rejected;

    /** A rejection by this decoder. Its message is written for clients, unlike those of Netty's exceptions. */
    static final class RejectedRequestException extends DecoderException {
        private static final long serialVersionUID = 1L;

        private RejectedRequestException(String message) {
            super(message);
        }
    }

    private StrictRequestDecoder(HttpServerOptions options) {
        super(options);
    }

    /** Replaces the decoder of a new HTTP/1.x connection; call it before the connection has received anything. */
    static void install(HttpConnection connection, HttpServerOptions options) {
        if (connection instanceof Http1xServerConnection http1) {
            http1.channelHandlerContext()
                    .pipeline()
                    .replace(VertxHttpRequestDecoder.class, "httpDecoder", new StrictRequestDecoder(options));
        }
    }

    /** Sets what answers the current request of an HTTP/1.x connection if its body is not framed correctly; it has to close the connection. */
    static void setInvalidBodyHandler(HttpConnection connection, Runnable handler) {
        if (connection instanceof Http1xServerConnection http1) {
            http1.channelHandlerContext().channel().attr(INVALID_BODY_HANDLER).set(handler);
        }
    }

    @Override
    protected HttpMessage createMessage(String[] initialLine) {
        var message = super.createMessage(initialLine);
        if (!message.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && !message.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            throw new RejectedRequestException("The HTTP version is not 1.0, 1.1 or 2.");
        }
        return message;
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new RejectedRequestException("The request has both Content-Length and Transfer-Encoding.");
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (rejected) {
            in.skipBytes(in.readableBytes());
            return;
        }
        var first = out.size();
        super.decode(context, in, out);
        for (var i = first; i < out.size() && !rejected; i++) {
            if (out.get(i) instanceof HttpRequest request) {
                checkRequest(request);
            } else if (out.get(i) instanceof HttpContent content
                    && content.decoderResult().isFailure()) {
                out.subList(i, out.size()).clear();
                rejectContent(context, content);
            }
        }
    }

    private void checkRequest(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            rejected = true;
            return;
        }
        var fault = findFault(request);
        if (fault != null) {
            rejected = true;
            request.setDecoderResult(DecoderResult.failure(new RejectedRequestException(fault)));
        }
    }

    /** Runs after the current read: responses written during a read are flushed after it, and the connection would be closed by then. */
    private void rejectContent(ChannelHandlerContext context, HttpContent content) {
        rejected = true;
        ReferenceCountUtil.release(content);
        var handler = context.channel().attr(INVALID_BODY_HANDLER).get();
        context.executor().execute(handler == null ? context::close : handler);
    }

    private static @Nullable String findFault(HttpRequest request) {
        var headers = request.headers();
        var hosts = headers.getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || (hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_1))) {
            return "The request must have one Host header.";
        }
        if (headers.getAll(HttpHeaderNames.AUTHORIZATION).size() > 1) {
            return "The request has more than one Authorization header.";
        }
        var codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty()) {
            return null;
        }
        if (codings.size() > 1 || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.get(0))) {
            return "The only transfer coding that the gateway supports is chunked.";
        }
        return headers.contains(HttpHeaderNames.CONTENT_LENGTH)
                        || !request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                ? "Transfer-Encoding needs HTTP/1.1 without Content-Length."
                : null;
    }
}
