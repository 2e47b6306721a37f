package io.malob.resource;

import com.google.common.collect.ImmutableMap;
import io.malob.json.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a request.
 *
 * @param status the HTTP status
 * @param body maps, collections, strings, numbers and booleans, to be sent as JSON; a {@link
 *     Document}; or a Restlet representation for streamed content, because only Restlet's server
 *     knows when its client has read it, or has disconnected
 * @param allowed the allowed methods, if the method of the request is not allowed
 * @param tag the tag of the body, if it has one
 * @param next the query of the next page, if there is one
 * @param location the path of the new item, if there is one
 * @param caching the caching by clients
 * @param headers further headers
 */
public record Reply(
    int status,
    Object body,
    Set<String> allowed,
    Optional<String> tag,
    Optional<String> next,
    Optional<String> location,
    Caching caching,
    ImmutableMap<String, String> headers) {

  /** The caching of an answer by clients. */
  public enum Caching {
    /** The default. */
    UNSAID,
    /** Keep it, and revalidate it each time. */
    REVALIDATE,
    /** Not keep it. */
    NEVER
  }

  /** A document that is sent unchanged, in UTF-8. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, and not changed
  public record Document(String mediaType, byte[] bytes) {}

  private Reply(int status, Object body) {
    this(
        status,
        body,
        Set.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Caching.UNSAID,
        ImmutableMap.of());
  }

  /** Success. */
  public static Reply ok(Object body) {
    return new Reply(200, body);
  }

  /** Success, with a text that is sent unchanged. */
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
    String collection = call.uri();
    String slash = collection.endsWith("/") ? "" : "/";
    Reply reply = created(body);
    return new Reply(
        reply.status,
        body,
        reply.allowed,
        reply.tag,
        reply.next,
        Optional.of(collection + slash + id),
        reply.caching,
        reply.headers);
  }

  /** The answer to a change that is made step by step, without a body. */
  public static Reply accepted() {
    return new Reply(202, Map.of());
  }

  /** Success, without a body. */
  public static Reply nothing() {
    return new Reply(204, "");
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

  /** The answer to a rejected request. */
  static Reply of(RejectedException e, Map<String, @Nullable Object> body) {
    return new Reply(
        e.status(),
        body,
        e.allowed(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Caching.UNSAID,
        ImmutableMap.of());
  }

  /** This with another status. */
  public Reply withStatus(int newStatus) {
    return new Reply(newStatus, body, allowed, tag, next, location, caching, headers);
  }

  /** This with the tag of the body, in its quotation marks. */
  public Reply withTag(String newTag) {
    return new Reply(status, body, allowed, Optional.of(newTag), next, location, caching, headers);
  }

  /** This with the query of the next page. */
  public Reply withNext(String query) {
    return new Reply(status, body, allowed, tag, Optional.of(query), location, caching, headers);
  }

  /** This with other caching. */
  public Reply withCaching(Caching newCaching) {
    return new Reply(status, body, allowed, tag, next, location, newCaching, headers);
  }

  /** This with a further header, of a name that it does not have yet. */
  public Reply withHeader(String name, String value) {
    ImmutableMap<String, String> more =
        ImmutableMap.<String, String>builder().putAll(headers).put(name, value).build();
    return new Reply(status, body, allowed, tag, next, location, caching, more);
  }

  /** This with another body. */
  public Reply map(UnaryOperator<Object> newBody) {
    return new Reply(status, newBody.apply(body), allowed, tag, next, location, caching, headers);
  }
}
