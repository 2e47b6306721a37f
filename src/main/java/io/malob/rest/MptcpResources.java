package io.malob.rest;

import io.malob.mptcp.IMptcpService;
import io.malob.mptcp.MptcpException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The plan of MPTCP's sub-flows. Safe for use by several threads. */
final class MptcpResources {
  private final IMptcpService mptcp;

  MptcpResources(IMptcpService mptcp) {
    this.mptcp = mptcp;
  }

  /** Answers a request to what is below {@code /mptcp}. */
  Reply answer(String method, List<String> path, RequestBody body)
      throws IOException, RefusedException {
    try {
      return switch (String.join("/", path)) {
        case "" -> whole(method);
        case "plan" -> Reply.ok(mptcp.plan(posted(method, body)));
        case "apply" -> applied(mptcp.apply(posted(method, body)));
        case "status" -> status(method);
        case "picture" -> picture(method);
        default ->
            throw new RefusedException(
                404, "there is nothing here but plan, apply, status and picture", null);
      };
    } catch (MptcpException e) {
      throw refused(e);
    }
  }

  /** Switches may take longer than a request waits. */
  private static Reply applied(Map<String, @Nullable Object> status) {
    boolean isUnderWay = "applying".equals(status.get("state"));
    return new Reply(isUnderWay ? 202 : 200, status, Set.of());
  }

  private static byte[] posted(String method, RequestBody body)
      throws IOException, RefusedException {
    if (!method.equals("POST")) {
      throw RefusedException.method(method, "POST");
    }
    return body.bytes();
  }

  private Reply whole(String method) throws RefusedException, MptcpException {
    return switch (method) {
      case "GET" -> Reply.ok(mptcp.status());
      case "DELETE" -> cleared();
      default -> throw RefusedException.method(method, "GET", "DELETE");
    };
  }

  private Reply cleared() throws RefusedException, MptcpException {
    if (!mptcp.clear()) {
      throw new RefusedException(404, "no plan is in place", null);
    }
    // what is in place says nothing of switches that still lead by what was
    return mptcp.isInForce() ? Reply.ok(mptcp.status()) : Reply.pending(mptcp.status());
  }

  private Reply status(String method) throws RefusedException {
    if (!method.equals("GET")) {
      throw RefusedException.method(method, "GET");
    }
    return Reply.ok(mptcp.status());
  }

  private Reply picture(String method) throws RefusedException {
    if (!method.equals("GET")) {
      throw RefusedException.method(method, "GET");
    }
    Optional<String> picture = mptcp.picture();
    if (picture.isEmpty()) {
      throw new RefusedException(404, "no plan is in place", null);
    }
    return Reply.svg(picture.get());
  }

  private static RefusedException refused(MptcpException e) {
    int status =
        switch (e.reason()) {
          case INVALID -> 400;
          case UNAVAILABLE -> 422;
          case NOT_STORED -> 500;
        };
    return new RefusedException(status, String.valueOf(e.getMessage()), e.field().orElse(null));
  }
}
