package io.malob.endhost;

import io.malob.algorithm.estimate.LinkCapacity;
import io.malob.algorithm.estimate.ProbePlan;
import io.malob.algorithm.estimate.WindowMinimum;
import io.malob.openflow.packet.EchoFrames;
import io.malob.openflow.packet.Replies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.IPVersion;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * One measured uplink: requests to its router and their answers, and the traffic of its port. For
 * one thread.
 */
final class MeasuredUplink {
  private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long ROUND_TRIP_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PEAK_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SECOND_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** Above this rate, the traffic of an uplink is not only broadcasts. */
  private static final double BUSY_BPS = 20_000;

  /** An uplink with a queue carries more than this part of its capacity. */
  private static final double LITTLE = 0.5;

  private final int number;
  private final int identifier;
  private final ProbePlan plan;
  private final LinkCapacity capacity = new LinkCapacity();
  private final Router ipv4Router = Router.ofIpv4();
  private final Router ipv6Router = Router.ofIpv6();
  private final AwaitedEchoes awaited = new AwaitedEchoes();
  private final WindowMinimum roundTrips = new WindowMinimum(ROUND_TRIP_NANOS);

  /** Of negative rates, so that its minimum is the max rate. */
  private final WindowMinimum peak = new WindowMinimum(PEAK_NANOS);

  private Uplink uplink;
  private Optional<OFPort> port = Optional.empty();
  private boolean isUp;
  private OptionalLong recordedBps = OptionalLong.empty();
  private @Nullable PortReading second;
  private @Nullable PortReading latest;
  private double latestBps;
  private double receivedBps;
  private double sentBps;
  private long echoBytes;
  private double echoBps;

  /** A frame to send from the uplink's port now. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Question(byte[] frame, AwaitedEchoes.@Nullable Echo echo) {}

  /**
   * An unmeasured uplink.
   *
   * @param identifier of the controller's echoes, 16 bits
   */
  MeasuredUplink(int number, int identifier, Uplink uplink, DoubleSupplier random) {
    this.number = number;
    this.identifier = identifier;
    this.uplink = uplink;
    this.plan = new ProbePlan(random);
  }

  /** Sets the configuration. Another address or router means another link. */
  void configure(Uplink now) {
    boolean isSame =
        now.mac().equals(uplink.mac())
            && now.ipv4().equals(uplink.ipv4())
            && now.gatewayIpv4().equals(uplink.gatewayIpv4());
    boolean isSameForIpv6 =
        now.mac().equals(uplink.mac()) && now.gatewayIpv6().equals(uplink.gatewayIpv6());
    uplink = now;
    if (!isSame) {
      forget();
    }
    if (!isSameForIpv6 || now.ipv6().isEmpty()) {
      ipv6Router.clear();
    }
  }

  /** Sets the port of the switch, and whether it is up. */
  void port(Optional<OFPort> now, boolean up) {
    if (!now.equals(port) || !up) {
      forget();
      ipv6Router.clear();
      second = null;
      latest = null;
      latestBps = 0;
      receivedBps = 0;
      sentBps = 0;
    }
    port = now;
    isUp = up;
  }

  private void forget() {
    ipv4Router.clear();
    awaited.clear();
    capacity.clear();
    peak.clear();
  }

  /** Sets the capacity from the operator; empty: measure it. */
  void record(OptionalLong bps) {
    recordedBps = bps;
  }

  Optional<OFPort> port() {
    return port;
  }

  boolean isAlive(long nowNanos) {
    boolean isRecordedAsNothing = recordedBps.isPresent() && recordedBps.getAsLong() == 0;
    return isUp && port.isPresent() && isRouterThere(nowNanos) && !isRecordedAsNothing;
  }

  /** Why a dead uplink is dead, in a few words for operators. */
  String whyDead() {
    if (!isUp || port.isEmpty()) {
      return "its port is down";
    }
    boolean hasAddress = uplink.ipv4().isPresent() || uplink.ipv6().isPresent();
    return hasAddress ? "its router does not answer" : "it has no address";
  }

  /** The IPv4 router, or the IPv6 router if there is no other. */
  private boolean isRouterThere(long nowNanos) {
    return mainRouter().isThere(nowNanos);
  }

  private Router mainRouter() {
    return router(uplink.reaches(IPVersion.IPv4) ? IPVersion.IPv4 : IPVersion.IPv6);
  }

  private Router router(IPVersion version) {
    return version == IPVersion.IPv4 ? ipv4Router : ipv6Router;
  }

  /** The MAC of the IPv6 router while it is alive. */
  Optional<MacAddress> gatewayMac6(long nowNanos) {
    return ipv6Router.isThere(nowNanos) ? ipv6Router.mac() : Optional.empty();
  }

  /** Whether an answer is overdue. */
  boolean isInDoubt(long nowNanos) {
    return ipv4Router.isInDoubt(nowNanos) || ipv6Router.isInDoubt(nowNanos);
  }

  /**
   * Whether it is alive, but its router owes an answer, and too little else arrives for a queue to
   * be the cause.
   */
  boolean isSilent(long nowNanos) {
    boolean isAlive = isAlive(nowNanos);
    double little = Math.max(BUSY_BPS, LITTLE * (double) belief(nowNanos, isAlive).bps());
    return isAlive && mainRouter().isInDoubt(nowNanos) && latestBps < little;
  }

  /** The requests to routers that are due, except echoes: for their MACs. */
  List<Question> macQuestions(long nowNanos) {
    List<Question> questions = new ArrayList<>(2);
    if (isUp) {
      for (Router router : List.of(ipv4Router, ipv6Router)) {
        router
            .question(uplink, nowNanos)
            .ifPresent(frame -> questions.add(new Question(frame, null)));
      }
    }
    return questions;
  }

  /** The echo to be sent now, if it is time. */
  Optional<Question> echo(long nowNanos) {
    for (int lost = awaited.giveUpBefore(nowNanos - LOST_NANOS); lost > 0; lost--) {
      capacity.lost();
    }
    if (!isUp || !ipv4Router.isThere(nowNanos) || uplink.ipv4().isEmpty()) {
      return Optional.empty();
    }
    int bytes = plan.next(capacity.certainBps(nowNanos), need(nowNanos), nowNanos);
    if (bytes == 0) {
      return Optional.empty();
    }
    ipv4Router.liveness.asked(nowNanos);
    echoBytes += bytes;
    AwaitedEchoes.Echo echo = awaited.add(bytes, nowNanos);
    IPv4Address router = uplink.gatewayIpv4().orElseThrow();
    byte[] frame =
        EchoFrames.request(
            new Replies.Ends(
                uplink.mac(), ipv4Router.mac().orElseThrow(), uplink.ipv4().get(), 0, router, 0),
            identifier,
            echo.sequence,
            bytes);
    return Optional.of(new Question(frame, echo));
  }

  private ProbePlan.Need need(long nowNanos) {
    if (ipv4Router.liveness.isInDoubt(nowNanos)) {
      return ProbePlan.Need.DOUBT;
    }
    ProbePlan.Need need = capacity.need(nowNanos);
    boolean isQuiet = Math.max(receivedBps, sentBps) - echoBps < BUSY_BPS;
    return need == ProbePlan.Need.KNOWN && isQuiet ? ProbePlan.Need.REST : need;
  }

  /** Whether only the regular requests are needed. */
  boolean isAtRest(long nowNanos) {
    return need(nowNanos) == ProbePlan.Need.REST;
  }

  /** Takes an answer. */
  void take(RouterAnswer answer, long receivedNanos) {
    if (!isUp || !answer.isFrom(uplink, identifier)) {
      return; // configured otherwise meanwhile
    }
    if (answer.mac().isPresent()) {
      router(answer.version()).told(answer.mac().get());
      return;
    }
    AwaitedEchoes.@Nullable Echo echo = awaited.take(answer.echoSequence());
    if (echo != null && echo.isWritten) {
      long took = receivedNanos - echo.writtenNanos;
      ipv4Router.liveness.heard();
      roundTrips.add(took, receivedNanos);
      capacity.answered(echo.bytes, took, receivedNanos);
    }
  }

  /** The traffic of its port. */
  void carried(PortReading now) {
    PortReading before = latest;
    latest = now;
    PortReading from = second;
    if (before == null || from == null || !now.follows(before)) {
      second = now;
      return;
    }
    latestBps = now.receivedBps(before);
    boolean isBusy = latestBps > BUSY_BPS;
    ipv4Router.liveness.busy(isBusy);
    ipv6Router.liveness.busy(isBusy);
    if (now.atNanos() - from.atNanos() >= SECOND_NANOS) {
      second = now;
      echoBps = 8e9 * echoBytes / (double) (now.atNanos() - from.atNanos());
      echoBytes = 0;
      receivedBps = now.receivedBps(from);
      sentBps = now.sentBps(from);
      peak.add(-Math.round(receivedBps), now.atNanos());
      if (mainRouter().isThere(now.atNanos())) {
        capacity.carried(receivedBps, sentBps, now.atNanos());
      } else {
        capacity.clearCapacity();
      }
    }
  }

  UplinkView view(long nowNanos) {
    boolean isAlive = isAlive(nowNanos);
    LinkCapacity.Belief belief = belief(nowNanos, isAlive);
    return new UplinkView(
        uplink,
        number,
        port,
        ipv4Router.mac(),
        gatewayMac6(nowNanos),
        isAlive,
        isSilent(nowNanos),
        belief.bps(),
        belief.source().name().toLowerCase(Locale.ROOT),
        Math.round(receivedBps),
        -peak.get(nowNanos).orElse(0),
        Math.round(sentBps),
        roundTrips.get(nowNanos).orElse(0));
  }

  private LinkCapacity.Belief belief(long nowNanos, boolean isAlive) {
    if (recordedBps.isPresent()) {
      return new LinkCapacity.Belief(recordedBps.getAsLong(), LinkCapacity.Source.RECORDED);
    }
    return isAlive
        ? capacity.belief(nowNanos)
        : new LinkCapacity.Belief(0, LinkCapacity.Source.UNKNOWN);
  }
}
