package io.malob.controller.http;

import io.malob.resource.ErrorBody;
import io.malob.resource.Reply;
import io.malob.resource.StreamedBody;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Date;
import java.util.Optional;

/**
 * An answer as it is sent.
 *
 * @param content its body, unless it is streamed
 * @param stream its body, if it is streamed; to be closed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
record HttpAnswer(
    HttpResponseStatus status, HttpHeaders headers, byte[] content, Optional<StreamedBody> stream) {
  private static final byte[] NOTHING = new byte[0];

  /** The answer of a resource; without its body if it is to HEAD, or says that nothing changed. */
  static HttpAnswer of(Reply reply, boolean isToHead) {
    HttpResponseStatus status = HttpResponseStatus.valueOf(reply.status());
    boolean isBare =
        status.equals(HttpResponseStatus.NO_CONTENT)
            || status.equals(HttpResponseStatus.NOT_MODIFIED);
    HttpHeaders headers = headers(reply);
    if (reply.body() instanceof StreamedBody stream) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, stream.mediaType());
      if (!isBare && !isToHead) {
        return new HttpAnswer(status, headers, NOTHING, Optional.of(stream));
      }
      stream.close();
    }
    byte[] content = NOTHING;
    if (!isBare && !(reply.body() instanceof StreamedBody)) {
      Reply.Document document = reply.document();
      content = isToHead ? NOTHING : document.bytes();
      if (document.bytes().length == 0 || !isToHead) {
        headers.set(HttpHeaderNames.CONTENT_LENGTH, document.bytes().length);
      }
      if (!document.mediaType().isEmpty()) {
        headers.set(HttpHeaderNames.CONTENT_TYPE, document.mediaType());
      }
    }
    return new HttpAnswer(status, headers, content, Optional.empty());
  }

  @SuppressWarnings("JavaUtilDate") // Netty's type
  private static HttpHeaders headers(Reply reply) {
    HttpHeaders headers = new DefaultHttpHeaders();
    headers.set(HttpHeaderNames.DATE, DateFormatter.format(new Date()));
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
    reply.headers().forEach(headers::set);
    return headers;
  }

  /** An error in the common form. */
  static HttpAnswer error(HttpResponseStatus status, String sentence) {
    HttpAnswer error = of(ErrorBody.COMMON.reply(status.code(), sentence), false);
    if (status.equals(HttpResponseStatus.SERVICE_UNAVAILABLE)) {
      error.headers.set(HttpHeaderNames.RETRY_AFTER, 1);
    }
    return error;
  }
}
