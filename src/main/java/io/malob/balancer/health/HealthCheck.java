package io.malob.balancer.health;

import io.malob.algorithm.health.RiseAndFall;
import io.malob.state.catalog.Member;
import io.malob.state.catalog.Monitor;
import io.malob.state.catalog.Vip;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.DatapathId;

/**
 * One member under observation: by which monitor, with what result so far, and when it is its turn
 * again. For one thread.
 */
final class HealthCheck {
  final Member member;
  final Monitor monitor;

  /** The VIP that the member's pool serves, from whose address it is asked. */
  final @Nullable Vip vip;

  RiseAndFall verdict;

  /** Since when the network can show where the member is: first checked, or its switch is back. */
  long soughtSinceNanos;

  /** Where the member was when it was last asked through the network; null before. */
  @Nullable DatapathId switchId;

  /** The latest question, which is known until the next one. */
  @Nullable Probe probe;

  /** Whether the question has neither been answered nor taken too long. */
  boolean isWaiting;

  /** When it is this check's turn: the answer is late, or the next question is due. */
  long dueNanos;

  long nextAskNanos;

  /** Whether it has never been asked. */
  boolean isNew = true;

  HealthCheck(
      Member member, Monitor monitor, @Nullable Vip vip, RiseAndFall verdict, long nowNanos) {
    this.member = member;
    this.monitor = monitor;
    this.vip = vip;
    this.verdict = verdict;
    this.soughtSinceNanos = nowNanos;
  }

  /** Whether an answer to the other one is an answer to this one. */
  boolean asksTheSame(HealthCheck other) {
    return member.address().equals(other.member.address())
        && monitor.type() == other.monitor.type()
        && monitor.id().equals(other.monitor.id())
        && Objects.equals(member.monitorAddress(), other.member.monitorAddress())
        && port() == other.port()
        && Objects.equals(monitor.http(), other.monitor.http());
  }

  /** Takes the place of a check that asks the same. */
  void goOnFrom(HealthCheck was, long now) {
    verdict = was.verdict;
    soughtSinceNanos = was.soughtSinceNanos;
    switchId = was.switchId;
    probe = was.probe;
    isWaiting = was.isWaiting;
    isNew = was.isNew;
    long latest = now + TimeUnit.SECONDS.toNanos(monitor.delaySeconds());
    dueNanos = Math.min(was.dueNanos - now, latest - now) + now;
    nextAskNanos = Math.min(was.nextAskNanos - now, latest - now) + now;
  }

  /** The port that is checked, or 0 if nothing says which. */
  int port() {
    for (@Nullable Integer port :
        new @Nullable Integer[] {monitor.port(), member.port(), vip == null ? null : vip.port()}) {
      if (port != null) {
        return port;
      }
    }
    return 0;
  }

  /** Whether the member is located, and there is a VIP address to probe from. */
  boolean canBeAsked() {
    return switch (monitor.type()) {
      case AGENT -> true;
      case PING -> vip != null;
      case HTTP -> port() != 0;
      case TCP -> vip != null && port() != 0;
    };
  }

  /** Nobody waits for the latest question's answer any more. */
  void forgetProbe() {
    if (probe != null) {
      probe.withdraw();
      probe = null;
    }
  }
}
