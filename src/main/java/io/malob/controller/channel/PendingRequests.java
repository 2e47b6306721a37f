package io.malob.controller.channel;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFRequest;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReplyFlags;
import org.projectfloodlight.openflow.protocol.OFStatsRequest;
import org.projectfloodlight.openflow.protocol.OFType;

/**
 * The pending requests to one switch, by transaction id, up to a limit. Safe for use by several
 * threads, never blocks. Futures are completed on the calling thread. Not a Guava cache, which
 * would drop the oldest request at the limit instead of refusing the new one.
 */
final class PendingRequests {
  private static final int MAX_PARTS = 10_000;

  /** Includes messages in between. The parsed parts take several times as much. */
  private static final long MAX_BYTES = 32L * 1024 * 1024;

  private final ConcurrentHashMap<Long, Pending<?>> byXid = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final int limit;
  private final LongSupplier nanoTime;

  PendingRequests(int limit, LongSupplier nanoTime) {
    this.limit = limit;
    this.nanoTime = nanoTime;
  }

  /** Waits for one message; the future has failed already if there are too many requests. */
  @SuppressWarnings("unchecked") // the request defines the type of its answer
  <R extends OFMessage> ListenableFuture<R> add(OFRequest<R> request) {
    return enter(new Pending<R>(request, /* isWhole= */ true, parts -> (R) parts.get(0)));
  }

  /** Waits for all parts of an answer; the future may have failed already, as in {@link #add}. */
  @SuppressWarnings("unchecked")
  <R extends OFStatsReply> ListenableFuture<List<R>> addStats(OFStatsRequest<R> request) {
    return enter(
        new Pending<List<R>>(
            request, /* isWhole= */ false, parts -> (List<R>) (List<?>) List.copyOf(parts)));
  }

  private <T> ListenableFuture<T> enter(Pending<T> pending) {
    if (size.incrementAndGet() > limit) {
      size.decrementAndGet();
      pending.future.setException(
          new OpenFlowException("More than " + limit + " requests are waiting for the switch"));
    } else if (byXid.putIfAbsent(pending.request.getXid(), pending) != null) {
      size.decrementAndGet();
      pending.future.setException(
          new OpenFlowException(
              "A request with transaction id " + pending.request.getXid() + " is waiting already"));
    }
    return pending.future;
  }

  /**
   * Takes an answer; false if no request waits for it.
   *
   * @param bytesRead what the switch has sent so far
   */
  boolean answer(OFMessage reply, long bytesRead) {
    Pending<?> pending = byXid.get(reply.getXid());
    if (pending == null || !isAnswer(pending.request, reply)) {
      return false;
    }
    if (pending.isLast(reply, bytesRead)) {
      remove(pending);
      pending.complete();
    }
    return true;
  }

  /** Takes an error as the answer; false if it belongs to no request. */
  boolean answerError(OFErrorMsg error) {
    Pending<?> pending = byXid.get(error.getXid());
    return pending != null
        && fail(error.getXid(), new OpenFlowErrorException(pending.request, error));
  }

  /** Fails one request; false if there is none with that id. */
  boolean fail(long xid, Exception cause) {
    Pending<?> pending = byXid.get(xid);
    if (pending == null || !remove(pending)) {
      return false;
    }
    pending.future.setException(cause);
    return true;
  }

  /** Fails the requests that were added before a moment, with a cause for each. */
  void failAddedBefore(long nanos, Function<OFMessage, Exception> cause) {
    for (Pending<?> each : byXid.values()) {
      if (each.addedNanos - nanos <= 0) {
        fail(each.request.getXid(), cause.apply(each.request));
      }
    }
  }

  /** The time when the oldest pending request was added; empty if there is none. */
  OptionalLong oldestNanos() {
    return byXid.values().stream()
        .mapToLong(each -> each.addedNanos)
        .reduce((one, other) -> one - other < 0 ? one : other);
  }

  /** Fails all requests. */
  void failAll(Exception cause) {
    byXid.keySet().forEach(xid -> fail(xid, cause));
  }

  private boolean remove(Pending<?> pending) {
    boolean removed = byXid.remove(pending.request.getXid(), pending);
    if (removed) {
      size.decrementAndGet();
    }
    return removed;
  }

  private static boolean isAnswer(OFMessage request, OFMessage reply) {
    if (request instanceof OFStatsRequest<?> asked) {
      return reply instanceof OFStatsReply answered
          && answered.getStatsType() == asked.getStatsType();
    }
    return reply.getType() == replyType(request.getType());
  }

  private static OFType replyType(OFType request) {
    return switch (request) {
      case ECHO_REQUEST -> OFType.ECHO_REPLY;
      case FEATURES_REQUEST -> OFType.FEATURES_REPLY;
      case GET_CONFIG_REQUEST -> OFType.GET_CONFIG_REPLY;
      case BARRIER_REQUEST -> OFType.BARRIER_REPLY;
      case QUEUE_GET_CONFIG_REQUEST -> OFType.QUEUE_GET_CONFIG_REPLY;
      case ROLE_REQUEST -> OFType.ROLE_REPLY;
      case GET_ASYNC_REQUEST -> OFType.GET_ASYNC_REPLY;
      default -> request;
    };
  }

  /** One pending request. Answers come on the channel's thread only. */
  private final class Pending<T> {
    final SettableFuture<T> future = SettableFuture.create();
    final OFMessage request;
    final long addedNanos = nanoTime.getAsLong();

    /** Whether the first message is the whole answer. */
    private final boolean isWhole;

    private final Function<List<OFMessage>, T> answer;
    private final List<OFMessage> parts = new ArrayList<>(1);
    private long firstAt;
    private long lastAt;

    Pending(OFMessage request, boolean isWhole, Function<List<OFMessage>, T> answer) {
      this.request = request;
      this.isWhole = isWhole;
      this.answer = answer;
    }

    /** Takes an answer or a part of one; returns whether it was the last. */
    boolean isLast(OFMessage part, long bytesRead) {
      firstAt = parts.isEmpty() ? bytesRead : firstAt;
      lastAt = bytesRead;
      parts.add(part);
      return isWhole
          || isTooLong()
          || !((OFStatsReply) part).getFlags().contains(OFStatsReplyFlags.REPLY_MORE);
    }

    private boolean isTooLong() {
      return parts.size() > MAX_PARTS || lastAt - firstAt > MAX_BYTES;
    }

    void complete() {
      if (isTooLong()) {
        future.setException(
            new AnswerTooLongException(
                "The answer has more than " + MAX_PARTS + " parts or " + MAX_BYTES + " bytes"));
      } else {
        future.set(answer.apply(parts));
      }
    }
  }
}
