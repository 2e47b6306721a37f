package io.malob.controller.http;

import io.malob.controller.access.RequestHead;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of a connection, one at a time: has each head judged, then reads the body if
 * it is wanted. On the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class RequestReader {
  private final HttpConnection connection;
  private final HttpHandler handler;

  /** The request that is being read. */
  private @Nullable PendingRequest request;

  private boolean hasBegun;
  private boolean keepsAlive = true;
  private boolean isOld;
  private boolean isCut;

  RequestReader(HttpConnection connection, HttpHandler handler) {
    this.connection = connection;
    this.handler = handler;
  }

  /** Runs before the decoder, to detect the beginning of a request. */
  ChannelHandler firstByte() {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        hasBegun = true;
        context.fireChannelRead(message);
      }
    };
  }

  /** Whether something of a request has been read. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Expects the next request. */
  void next() {
    hasBegun = false;
  }

  /** Whether the connection stays open after the answer to the latest request. */
  boolean keepsAlive() {
    return keepsAlive;
  }

  /** The connection is closed after the answer. */
  void endAfterAnswer() {
    keepsAlive = false;
  }

  /** Whether the latest request is of HTTP/1.0. */
  boolean isOld() {
    return isOld;
  }

  /** Whether the rest of the latest request is to be discarded. */
  boolean isCut() {
    return isCut;
  }

  /** Forgets a request that is incomplete. */
  void drop() {
    request = null;
  }

  /** Takes the next part of a request. */
  void take(HttpObject part) {
    if (part.decoderResult().isFailure()) {
      refuseUnreadable(part.decoderResult().cause());
      return;
    }
    if (part instanceof HttpRequest head) {
      takeHead(head);
    }
    if (request != null && part instanceof HttpContent content) {
      takeBody(request, content.content());
    }
    if (request != null && part instanceof LastHttpContent) {
      handle(request);
    }
  }

  private void refuseUnreadable(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      connection.refuse(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The header is too long");
    } else if (cause instanceof TooLongHttpLineException) {
      connection.refuse(HttpResponseStatus.REQUEST_URI_TOO_LONG, "The path is too long");
    } else {
      connection.refuse(HttpResponseStatus.BAD_REQUEST, "The HTTP request is malformed");
    }
  }

  private void takeHead(HttpRequest head) {
    keepsAlive = HttpUtil.isKeepAlive(head);
    isOld = head.protocolVersion().equals(HttpVersion.HTTP_1_0);
    if (!RequestTarget.normalize(head)) {
      connection.refuse(HttpResponseStatus.BAD_REQUEST, "The path is not a valid URI");
    } else if (!RequestTarget.hasHost(head)) {
      connection.refuse(
          HttpResponseStatus.BAD_REQUEST, "Exactly one Host header is required, as HOST:PORT");
    } else {
      Optional<SslHandler> tls =
          Optional.ofNullable(connection.channel().pipeline().get(SslHandler.class));
      RequestHead read = RequestTarget.head(head, tls, connection.address());
      PendingRequest begun = new PendingRequest(read, handler.judge(read));
      request = begun;
      connection.began();
      if (HttpUtil.isTransferEncodingChunked(head) || HttpUtil.getContentLength(head, 0L) > 0) {
        expectBody(begun, head);
      }
    }
  }

  /** A body is read only if it is wanted. */
  private void expectBody(PendingRequest begun, HttpRequest head) {
    OptionalInt limit = begun.exchange().bodyLimit();
    if (limit.isEmpty()) {
      isCut = true;
      keepsAlive = false;
      handle(begun);
      return;
    }
    begun.setMaxLength(limit.getAsInt());
    if (HttpUtil.getContentLength(head, 0L) > begun.maxLength()) {
      refuseTooLarge(begun);
    } else if (HttpUtil.is100ContinueExpected(head)) {
      connection
          .channel()
          .writeAndFlush(
              new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    }
  }

  private void takeBody(PendingRequest begun, ByteBuf bytes) {
    int added = bytes.readableBytes();
    if (begun.lengthWith(added) > begun.maxLength()) {
      refuseTooLarge(begun);
    } else if (added > 0) {
      int growth = begun.growthFor(added);
      if (growth == 0 || connection.hold(growth)) {
        begun.add(bytes, growth);
        connection.received(added);
      } else {
        connection.refuse(
            HttpResponseStatus.SERVICE_UNAVAILABLE,
            "The bodies of other requests take all of the memory for them; try again");
      }
    }
  }

  private void refuseTooLarge(PendingRequest begun) {
    connection.refuse(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "The body has more than " + begun.maxLength() + " bytes");
  }

  private void handle(PendingRequest complete) {
    request = null;
    connection.handle(complete);
  }
}
