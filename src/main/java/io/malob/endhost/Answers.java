package io.malob.endhost;

import io.malob.openflow.uplink.FlowKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * Whether servers answer over each uplink. The router of an uplink may answer although nothing
 * behind it does. Such an uplink is avoided: its last {@link #MIN_UNANSWERED} TCP connections have
 * had no answer for {@link #WAIT_NANOS}, while another uplink's later ones have. Servers that
 * answer over no uplink are no reason: the connections are to several servers, or to one that
 * answers over the other uplink. From time to time, an avoided uplink is tried together with
 * another. Thread-safe.
 */
final class Answers {
  /** Until then, Linux has retransmitted a SYN once. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  static final int MIN_UNANSWERED = 3;

  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(5);

  /** Max number of unanswered connections, and of servers that answer, to remember per uplink. */
  private static final int MAX = 64;

  private final Map<Integer, Uplink> byNumber = new HashMap<>();

  /** What is known of one uplink. */
  private static final class Uplink {
    /** When the latest answered connection began. */
    private long answeredNanos;

    private boolean isAnswered;

    /** The latest servers that have answered, the oldest first. */
    private final Set<IPAddress<?>> servers = new LinkedHashSet<>();

    /** The connections since then that have no answer. */
    private final List<Flow> unanswered = new ArrayList<>();

    private boolean isAvoided;
    private long triedNanos;
    private long pauseNanos;

    void answered(Flow flow) {
      if (!isAnswered || flow.startedNanos() - answeredNanos > 0) {
        isAnswered = true;
        answeredNanos = flow.startedNanos();
      }
      servers.remove(flow.key().peer());
      servers.add(flow.key().peer());
      if (servers.size() > MAX) {
        servers.remove(servers.iterator().next());
      }
    }

    void works() {
      unanswered.clear();
      isAvoided = false;
    }
  }

  /**
   * Takes the counters of all flows.
   *
   * @return the uplinks that are avoided from now on
   */
  synchronized Set<Integer> looked(Iterable<Flow> flows, long nowNanos) {
    for (Flow flow : flows) {
      if (flow.key().protocol() == FlowKey.TCP
          && flow.receivedBytes() > 0
          && flow.isAnsweredNow()) {
        Uplink uplink = uplink(flow.uplink());
        uplink.answered(flow);
        // it has been answered late, or began after those that have not
        if (uplink.unanswered.contains(flow)
            || uplink.unanswered.stream()
                .allMatch(each -> each.startedNanos() - flow.startedNanos() < 0)) {
          uplink.works();
        }
      }
    }
    for (Flow flow : flows) {
      if (flow.key().protocol() == FlowKey.TCP
          && flow.receivedBytes() == 0
          && !flow.isOver()
          && nowNanos - flow.startedNanos() >= WAIT_NANOS) {
        unanswered(uplink(flow.uplink()), flow);
      }
    }
    Set<Integer> avoided = new HashSet<>();
    byNumber.forEach(
        (number, uplink) -> {
          if (!uplink.isAvoided && isCutOff(uplink)) {
            uplink.isAvoided = true;
            uplink.triedNanos = nowNanos;
            uplink.pauseNanos = FIRST_PAUSE_NANOS;
            avoided.add(number);
          }
        });
    return avoided;
  }

  private static void unanswered(Uplink uplink, Flow flow) {
    boolean isLater = !uplink.isAnswered || flow.startedNanos() - uplink.answeredNanos > 0;
    if (isLater && uplink.unanswered.size() < MAX && !uplink.unanswered.contains(flow)) {
      uplink.unanswered.add(flow);
    }
  }

  private boolean isCutOff(Uplink uplink) {
    if (uplink.unanswered.size() < MIN_UNANSWERED) {
      return false;
    }
    Set<IPAddress<?>> silent = new HashSet<>();
    uplink.unanswered.forEach(flow -> silent.add(flow.key().peer()));
    long since =
        uplink.unanswered.stream()
            .mapToLong(Flow::startedNanos)
            .reduce((a, b) -> a - b < 0 ? a : b)
            .orElseThrow();
    return byNumber.values().stream()
        .filter(other -> other != uplink && other.isAnswered)
        .filter(other -> other.answeredNanos - since >= 0)
        .anyMatch(
            other ->
                silent.size() >= MIN_UNANSWERED
                    || silent.stream().anyMatch(other.servers::contains));
  }

  /** Whether new flows are to use other uplinks. */
  synchronized boolean isAvoided(int number) {
    Uplink uplink = byNumber.get(number);
    return uplink != null && uplink.isAvoided;
  }

  /** An avoided uplink that is to be tried now; empty if it is not time for any. */
  synchronized OptionalInt takeTrial(Set<Integer> usable, long nowNanos) {
    for (Map.Entry<Integer, Uplink> each : byNumber.entrySet()) {
      Uplink uplink = each.getValue();
      if (uplink.isAvoided
          && usable.contains(each.getKey())
          && nowNanos - uplink.triedNanos >= uplink.pauseNanos) {
        uplink.triedNanos = nowNanos;
        uplink.pauseNanos = Math.min(2 * uplink.pauseNanos, MAX_PAUSE_NANOS);
        return OptionalInt.of(each.getKey());
      }
    }
    return OptionalInt.empty();
  }

  /** A server has answered over an uplink; whether it was avoided. */
  synchronized boolean answered(int number) {
    Uplink uplink = uplink(number);
    boolean was = uplink.isAvoided;
    uplink.works();
    return was;
  }

  /** Forgets all about other uplinks: they are not alive. */
  synchronized void retain(Set<Integer> alive) {
    byNumber.keySet().retainAll(alive);
  }

  private Uplink uplink(int number) {
    return byNumber.computeIfAbsent(number, any -> new Uplink());
  }
}
