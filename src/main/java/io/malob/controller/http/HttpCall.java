package io.malob.controller.http;

import com.google.common.collect.ImmutableList;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.ssl.SslHandler;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.cert.Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.restlet.Response;
import org.restlet.data.Header;
import org.restlet.engine.adapter.ServerCall;
import org.restlet.engine.header.HeaderUtils;
import org.restlet.representation.OutputRepresentation;
import org.restlet.representation.Representation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request and its response, for Restlet. A response of known length is built in memory, so that
 * the calling thread is free before the client has read it; other responses are sent by their own
 * threads.
 */
final class HttpCall extends ServerCall {
  private static final Logger logger = LoggerFactory.getLogger(HttpCall.class);

  private final HttpConnection connection;
  private final Executor streams;
  private final Optional<SslHandler> tls;
  private InputStream body = InputStream.nullInputStream();
  private boolean isAnswered;

  /** A call of which only the head is known yet. */
  HttpCall(HttpConnection connection, HttpRequest head, Executor streams) {
    super(null, 0);
    this.connection = connection;
    this.streams = streams;
    tls = connection.tls();
    setConfidential(tls.isPresent());
    setMethod(head.method().name());
    setRequestUri(head.uri());
    setClientAddress(connection.address().getAddress().getHostAddress());
    setClientPort(connection.address().getPort());
    for (Map.Entry<String, String> header : head.headers()) {
      getRequestHeaders().add(header.getKey(), header.getValue());
    }
  }

  /** Sets the whole body, before the call starts. */
  void setBody(byte[] bytes, int length) {
    body = new ByteArrayInputStream(bytes, 0, length);
  }

  @Override
  public @Nullable List<Certificate> getCertificates() {
    if (tls.isEmpty()) {
      return null;
    }
    try {
      return ImmutableList.copyOf(tls.get().engine().getSession().getPeerCertificates());
    } catch (SSLPeerUnverifiedException e) {
      return ImmutableList.of();
    }
  }

  @Override
  public InputStream getRequestEntityStream(long size) {
    return body;
  }

  @Override
  public @Nullable InputStream getRequestHeadStream() {
    return null;
  }

  @Override
  public @Nullable OutputStream getResponseEntityStream() {
    return null;
  }

  @Override
  public boolean abort() {
    connection.giveUp();
    return true;
  }

  @Override
  public void sendResponse(Response response) throws IOException {
    if (isAnswered) {
      return;
    }
    @Nullable Representation entity = response.getEntity();
    boolean hasBody = entity != null && entity.isAvailable();
    // bytes in memory may have no size for Restlet, but are no stream
    if (entity instanceof OutputRepresentation && hasBody && entity.getAvailableSize() < 0) {
      isAnswered = true;
      stream(entity);
      return;
    }
    byte[] content = new byte[0];
    if (hasBody) {
      content = bytes(entity);
    }
    HttpHeaders headers = headers();
    boolean isHead = getMethod().equals("HEAD");
    boolean isBare = status().code() == 204 || status().code() == 304;
    if (isBare) {
      headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    } else if (!isHead) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, content.length);
    }
    isAnswered = true;
    connection.respond(status(), headers, content);
  }

  private static byte[] bytes(Representation entity) throws IOException {
    try {
      ByteArrayOutputStream out =
          new ByteArrayOutputStream((int) Math.max(32, entity.getAvailableSize()));
      entity.write(out);
      return out.toByteArray();
    } finally {
      entity.release();
    }
  }

  private void stream(Representation entity) {
    HttpHeaders headers = headers();
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    HttpResponseStatus status = status();
    try {
      streams.execute(
          () -> {
            boolean isComplete = false;
            try (ResponseStream out = connection.stream(status, headers)) {
              entity.write(out);
              isComplete = true;
            } catch (IOException e) {
              // the client has disconnected, or has not read it in time
            } catch (RuntimeException e) {
              logger.error("response_failed uri=\"{}\"", getRequestUri(), e);
            } finally {
              connection.streamEnded(isComplete);
              entity.release();
            }
          });
    } catch (RejectedExecutionException e) {
      entity.release();
      connection.respondError(
          HttpResponseStatus.SERVICE_UNAVAILABLE,
          "Too many long responses are being sent; try again");
    }
  }

  private HttpResponseStatus status() {
    try {
      return HttpResponseStatus.valueOf(getStatusCode());
    } catch (IOException e) {
      return HttpResponseStatus.INTERNAL_SERVER_ERROR;
    }
  }

  private HttpHeaders headers() {
    HttpHeaders headers = new DefaultHttpHeaders();
    for (Header header : getResponseHeaders()) {
      if (header.getValue() != null) {
        headers.add(header.getName(), header.getValue());
      }
    }
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    return headers;
  }

  /** Which header Restlet cannot read, as a sentence. */
  String unreadableHeader() {
    for (Header header : getRequestHeaders()) {
      try {
        HeaderUtils.extractEntityHeaders(ImmutableList.of(header), null);
      } catch (RuntimeException e) {
        return "The value of the header " + header.getName() + " cannot be read";
      }
    }
    return "The value of a header cannot be read";
  }

  /** Answers with an error instead. */
  void refuse(HttpResponseStatus status, String sentence) {
    if (!isAnswered) {
      isAnswered = true;
      connection.respondError(status, sentence);
    }
  }

  /** Ensures an answer after any failure. */
  void finish() {
    refuse(
        HttpResponseStatus.INTERNAL_SERVER_ERROR, "Internal error in the controller; see its log");
  }
}
