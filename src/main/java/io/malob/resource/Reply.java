package io.malob.resource;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.malob.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a request.
 *
 * @param status the HTTP status
 * @param body maps, collections, strings, numbers and booleans, to be sent as JSON; a {@link
 *     Document}; or a {@link StreamedBody}
 * @param headers those that do not follow from the body
 */
public record Reply(int status, Object body, ImmutableMap<String, String> headers) {
  /** A client may keep the body, and revalidates it each time. */
  private static final String REVALIDATED = "no-cache";

  private static final Splitter LIST = Splitter.on(',').trimResults();

  /** A document that is sent unchanged. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  public record Document(String mediaType, byte[] bytes) {
    static final Document EMPTY = new Document("", new byte[0]);
  }

  Reply(int status, Object body) {
    this(status, body, ImmutableMap.of());
  }

  /** Success. */
  public static Reply ok(Object body) {
    return new Reply(200, body);
  }

  /** Success, with a text that is sent unchanged, in UTF-8. */
  public static Reply text(String mediaType, String text) {
    return document(mediaType, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Success, with a document that is sent unchanged, in UTF-8. */
  public static Reply document(String mediaType, byte[] bytes) {
    return new Reply(200, new Document(mediaType, bytes));
  }

  /** Success, with a new item at the URL of the request. */
  public static Reply created(Object body) {
    return new Reply(201, body);
  }

  /** Success, with a new item of the collection at the URL of the request. */
  public static Reply created(Object body, Call call, String id) {
    String slash = call.uri().endsWith("/") ? "" : "/";
    return created(body).withHeader("Location", call.site() + call.uri() + slash + id);
  }

  /** The answer to a change that is made step by step, without a body. */
  public static Reply accepted() {
    return new Reply(202, Map.of());
  }

  /** Success, without a body. */
  public static Reply nothing() {
    return new Reply(204, Document.EMPTY);
  }

  /** The client is sent to another URL, with this status. */
  public static Reply redirect(int status, String url) {
    return new Reply(status, Document.EMPTY).withHeader("Location", url);
  }

  /** The answer to a change that will be in force soon, with the usual body. */
  public static Reply pending(Object body) {
    Map<String, @Nullable Object> pending = new LinkedHashMap<>();
    if (body instanceof Map) {
      ((Map<?, ?>) body).forEach((name, value) -> pending.put(String.valueOf(name), value));
    }
    pending.put("in_force", false);
    return new Reply(202, pending);
  }

  /** This with another status. */
  public Reply withStatus(int newStatus) {
    return new Reply(newStatus, body, headers);
  }

  /** This with the tag of the body, in its quotation marks. */
  public Reply withTag(String tag) {
    return withHeader("ETag", tag);
  }

  /** This with the query of the next page of the same collection. */
  public Reply withNext(Call call, String query) {
    return withHeader("Link", "<" + call.uri() + "?" + query + ">; rel=\"next\"");
  }

  /** This, which clients may keep and revalidate each time by its tag. */
  public Reply revalidated() {
    return withHeader("Cache-Control", REVALIDATED);
  }

  /** This with a further header, of a name that it does not have yet. */
  public Reply withHeader(String name, String value) {
    return new Reply(
        status,
        body,
        ImmutableMap.<String, String>builder().putAll(headers).put(name, value).build());
  }

  /** This with another body. */
  public Reply map(UnaryOperator<Object> newBody) {
    return new Reply(status, newBody.apply(body), headers);
  }

  /** The body as bytes, unless it is streamed. */
  public Document document() {
    return body instanceof Document document
        ? document
        : new Document("application/json", Json.bytes(body));
  }

  /** This, or that the client has it already. */
  Reply unlessKept(Call call) {
    boolean isKept =
        REVALIDATED.equals(headers.get("Cache-Control"))
            && LIST.splitToList(call.header("If-None-Match").orElse(""))
                .contains(headers.getOrDefault("ETag", "-"));
    return isKept ? withStatus(304) : this;
  }
}
