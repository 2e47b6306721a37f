package io.malob.latency;

import io.malob.module.StandbyListener;
import io.malob.module.Unordered;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.FloodlightContext;
import net.floodlightcontroller.core.IOFMessageListener;
import net.floodlightcontroller.core.IOFSwitch;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketIn;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Takes probes as they come back, on the threads that read from switches, before any other module
 * sees them, and keeps them for the thread of the schedule. Bounded, because only sent probes are
 * kept.
 *
 * <p>A probe over a link to another master's switch comes back from that switch to this controller,
 * too, which is its slave.
 */
final class ProbeReceiver implements IOFMessageListener, StandbyListener, Unordered<OFType> {
  /** The known listeners that are called after this one. Other listeners choose their own order. */
  private static final Set<String> AFTER =
      Set.of(
          "linkdiscovery",
          "topology",
          "devicemanager",
          "firewall",
          "dhcpserver",
          "loadbalancer",
          "forwarding");

  private final ProbeFrames frames;
  private final OutstandingProbes outstanding;
  private final Counters counters;
  private final LongSupplier nanoTime;
  private final BooleanSupplier hasPeers;
  private final Queue<Probe> answered = new ConcurrentLinkedQueue<>();

  /**
   * Keeps nothing at first.
   *
   * @param hasPeers whether other controllers probe links of the same network
   */
  ProbeReceiver(
      ProbeFrames frames,
      OutstandingProbes outstanding,
      Counters counters,
      LongSupplier nanoTime,
      BooleanSupplier hasPeers) {
    this.frames = frames;
    this.outstanding = outstanding;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.hasPeers = hasPeers;
  }

  @Override
  public Command receive(IOFSwitch sw, OFMessage message, FloodlightContext context) {
    if (message instanceof OFEchoReply reply) {
      return receive(sw, reply);
    }
    if (!(message instanceof OFPacketIn packetIn) || !ProbeFrames.isProbe(packetIn.getData())) {
      return Command.CONTINUE;
    }
    long now = nanoTime.getAsLong();
    @Nullable Discard problem = take(sw, packetIn, now);
    if (problem != null && !(problem == Discard.FOREIGN && hasPeers.getAsBoolean())) {
      counters.discarded.count(problem);
    }
    return Command.STOP;
  }

  /** A late or duplicate answer is ignored: its probe has been counted. */
  private Command receive(IOFSwitch sw, OFEchoReply reply) {
    byte[] data = reply.getData();
    if (!frames.isEcho(data)) {
      return Command.CONTINUE;
    }
    @Nullable Probe probe = outstanding.find(ProbeFrames.echoNumber(data));
    if (probe != null
        && probe.method == ControlMethod.ECHO
        && probe.target.isReceiver(sw.getId(), OFPort.CONTROLLER)) {
      answered(probe, nanoTime.getAsLong());
    }
    return Command.STOP;
  }

  private @Nullable Discard take(IOFSwitch sw, OFPacketIn packetIn, long now) {
    byte[] frame = packetIn.getData();
    @Nullable Discard problem = frames.problem(frame);
    if (problem != null) {
      return problem;
    }
    @Nullable Probe probe = outstanding.find(ProbeFrames.number(frame));
    // an echo has a number, too, but no frame of it was sent
    if (probe == null || probe.method != ControlMethod.PACKET) {
      return Discard.NOT_AWAITED;
    }
    OFPort port = packetIn.getMatch().get(MatchField.IN_PORT);
    if (!probe.target.isReceiver(sw.getId(), port)) {
      return Discard.ELSEWHERE;
    }
    return answered(probe, now) ? null : Discard.NOT_AWAITED;
  }

  /** A probe has come back; false if it had already, or counted as lost. */
  private boolean answered(Probe probe, long nowNanos) {
    if (!outstanding.remove(probe)) {
      return false;
    }
    probe.answeredNanos = nowNanos;
    answered.add(probe);
    return true;
  }

  /** Returns the probes that have come back since the last call. */
  void drain(Consumer<Probe> taker) {
    for (@Nullable Probe probe = answered.poll(); probe != null; probe = answered.poll()) {
      taker.accept(probe);
    }
  }

  @Override
  public String getName() {
    return "latency";
  }

  @Override
  public boolean isCallbackOrderingPostreq(OFType type, String name) {
    return type == OFType.PACKET_IN && AFTER.contains(name);
  }
}
