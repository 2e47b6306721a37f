package io.malob.rest;

import io.malob.endhost.EndhostException;
import io.malob.endhost.IEndhostService;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A host's flows over its uplinks. Safe for use by several threads. */
final class EndhostResources {
  private static final int FLOWS_BY_DEFAULT = 100;
  private static final int MOST_FLOWS = 10_000;

  private final IEndhostService endhost;

  EndhostResources(IEndhostService endhost) {
    this.endhost = endhost;
  }

  /** Answers a request to what is below {@code /endhost}. */
  Reply answer(String method, List<String> path, String query, RequestBody body)
      throws IOException, RefusedException {
    if (!path.equals(List.of("flows"))) {
      QueryParameters.none(query);
    }
    try {
      if (path.size() == 2 && path.get(0).equals("uplinks")) {
        return changed(endhost.setCapacity(path.get(1), sent(method, body)));
      }
      return switch (String.join("/", path)) {
        case "" -> whole(method, body);
        case "algorithm" -> changed(endhost.setAlgorithm(sent(method, body)));
        case "flows" -> flows(method, query);
        default ->
            throw new RefusedException(
                404, "there is nothing here but algorithm, flows and uplinks/NAME", null);
      };
    } catch (EndhostException e) {
      throw refused(e);
    }
  }

  private static byte[] sent(String method, RequestBody body) throws IOException, RefusedException {
    if (!method.equals("PUT")) {
      throw RefusedException.method(method, "PUT");
    }
    return body.bytes();
  }

  private Reply whole(String method, RequestBody body)
      throws IOException, RefusedException, EndhostException {
    return switch (method) {
      case "GET" -> Reply.ok(endhost.status());
      case "PUT" -> changed(endhost.configure(body.bytes()));
      case "DELETE" -> cleared();
      default -> throw RefusedException.method(method, "GET", "PUT", "DELETE");
    };
  }

  private Reply cleared() throws RefusedException {
    if (!endhost.clear()) {
      throw new RefusedException(404, "no network of a host is configured", null);
    }
    return changed(endhost.status());
  }

  /** The answer to a change: it may take longer than its request waits. */
  private Reply changed(Map<String, @Nullable Object> status) {
    return endhost.isInForce() ? Reply.ok(status) : Reply.pending(status);
  }

  private Reply flows(String method, String query) throws RefusedException, EndhostException {
    if (!method.equals("GET")) {
      throw RefusedException.method(method, "GET");
    }
    return Reply.ok(endhost.flows(limit(query)));
  }

  private static int limit(String query) throws RefusedException {
    Optional<String> limit = QueryParameters.read(query, Set.of("limit")).text("limit");
    return limit.isEmpty()
        ? FLOWS_BY_DEFAULT
        : (int) ParameterFormat.number("limit", limit.get(), 1, MOST_FLOWS);
  }

  private static RefusedException refused(EndhostException e) {
    int status =
        switch (e.reason()) {
          case INVALID -> 400;
          case NOT_FOUND -> 404;
          case NOT_CONFIGURED -> 422;
        };
    return new RefusedException(status, String.valueOf(e.getMessage()), e.field().orElse(null));
  }
}
