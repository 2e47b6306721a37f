package io.malob.balancer.health;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.health.Health;
import io.malob.algorithm.health.RiseAndFall;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Vip;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPAddress;

/**
 * The health check of one member: its monitor, its result so far and the time of its next step. Not
 * thread-safe.
 */
final class HealthCheck {
  Member member;
  Monitor monitor;

  /** The VIP of the member's pool. */
  @Nullable Vip vip;

  /** The possible sources of probes through the data plane: the VIP's address, then others. */
  private ImmutableList<IPAddress<?>> sources;

  /** The number of changes of the source. */
  private int sourceChanges;

  /** Whether the member has answered a probe from the current source. */
  private boolean isSourceProven;

  RiseAndFall verdict;

  Judge judge = Judge.THIS;

  /** Whether this controller or the one that judges the member has a verdict. */
  boolean isJudged = true;

  /**
   * The start of the search for the member's location: its first check, or the return of its
   * switch.
   */
  long searchSinceNanos;

  /** The member's switch at its last probe through the data plane; null before the first one. */
  @Nullable DatapathId switchId;

  /** The latest probe; kept until the next one. */
  @Nullable Probe probe;

  /** Whether the probe is pending: neither answered nor timed out. */
  boolean isPending;

  /** The time of the next step: the probe times out, or the next probe is due. */
  long dueNanos;

  long nextProbeNanos;

  /** Whether the member has never been probed. */
  boolean isNew = true;

  /** The controller that judges a member. */
  enum Judge {
    /** This one. */
    THIS,
    /** Another one of the cluster, which tells its verdicts. */
    OTHER,
    /** None through the data plane: the member's switch is out of control. */
    NONE
  }

  HealthCheck(
      Member member,
      Monitor monitor,
      @Nullable Vip vip,
      ImmutableList<IPAddress<?>> sources,
      RiseAndFall verdict,
      long nowNanos) {
    this.sources = sources;
    this.member = member;
    this.monitor = monitor;
    this.vip = vip;
    this.verdict = verdict;
    this.searchSinceNanos = nowNanos;
  }

  /** Takes over another catalog; false if earlier results are not valid there. */
  boolean follow(
      Member newMember,
      Monitor newMonitor,
      @Nullable Vip newVip,
      ImmutableList<IPAddress<?>> newSources,
      long now) {
    boolean isEquivalent =
        member.address().equals(newMember.address())
            && member.vlan() == newMember.vlan()
            && monitor.type() == newMonitor.type()
            && monitor.id().equals(newMonitor.id())
            && Objects.equals(member.monitorAddress(), newMember.monitorAddress())
            && port() == port(newMember, newMonitor, newVip)
            && Objects.equals(monitor.http(), newMonitor.http());
    if (isEquivalent) {
      member = newMember;
      monitor = newMonitor;
      vip = newVip;
      sources = newSources;
      long latest = now + TimeUnit.SECONDS.toNanos(monitor.delaySeconds());
      dueNanos = Math.min(dueNanos - now, latest - now) + now;
      nextProbeNanos = Math.min(nextProbeNanos - now, latest - now) + now;
    }
    return isEquivalent;
  }

  /** The port to check; 0 if neither the member, the monitor nor the VIP has one. */
  int port() {
    return port(member, monitor, vip);
  }

  private static int port(Member member, Monitor monitor, @Nullable Vip vip) {
    return Stream.of(
            Optional.ofNullable(member.monitorPort()),
            Optional.ofNullable(monitor.port()),
            Optional.ofNullable(member.port()),
            Optional.ofNullable(vip).map(Vip::port))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(0);
  }

  /** Whether the check has all that its type needs: a VIP as the source of probes, a port. */
  boolean canBeProbed() {
    return switch (monitor.type()) {
      case AGENT -> true;
      case PING -> vip != null;
      case HTTP -> port() != 0;
      case TCP -> vip != null && port() != 0;
    };
  }

  /** The member's health, as the controller shows and uses it. */
  Health health() {
    boolean isUnknown = !canBeProbed() || (!isJudged && verdict.health() == Health.UP);
    return isUnknown ? Health.UNCHECKED : verdict.health();
  }

  /**
   * The source of probes through the data plane. A server drops packets from an address that it has
   * itself, as members often have that of their VIP on lo. So every second source is that of
   * another VIP.
   */
  IPAddress<?> source() {
    int others = sources.size() - 1;
    boolean isOwn = others == 0 || sourceChanges % 2 == 0;
    return sources.get(isOwn ? 0 : 1 + sourceChanges / 2 % others);
  }

  /** Notes that the member has passed a probe. */
  void passed() {
    isSourceProven = true;
  }

  /**
   * Notes that a probe got no answer. Another source is tried until the member answers, and again
   * when it is down; in between, a lost packet is no reason.
   */
  void timedOut() {
    if (!isSourceProven || verdict.health() == Health.DOWN) {
      sourceChanges = (sourceChanges + 1) & Integer.MAX_VALUE;
      isSourceProven = false;
    }
  }

  /** Withdraws the latest probe, and does not wait for its answer any more. */
  void withdrawProbe() {
    if (probe != null) {
      probe.withdraw();
      probe = null;
    }
    isPending = false;
  }
}
