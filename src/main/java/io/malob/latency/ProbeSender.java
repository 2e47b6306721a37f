package io.malob.latency;

import io.malob.openflow.TimedEchoRequest;
import io.malob.openflow.TimedPacketOut;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;

/** Sends probes. For one thread. */
record ProbeSender(
    IOFSwitchService switches,
    ProbeFrames frames,
    OutstandingProbes outstanding,
    Counters counters,
    LongSupplier nanoTime) {
  /**
   * Probes links and their switch, each by its current method, in one write. A switch that has
   * another master is only measured, by an echo, if links lead to it from this controller's
   * switches.
   */
  void send(ProbeGroup group) {
    @Nullable IOFSwitch sw = switches.getActiveSwitch(group.sender());
    if (sw != null) {
      send(sw, group.targets());
      return;
    }
    @Nullable IOFSwitch standby = switches.getSwitch(group.sender());
    for (Target target : group.targets()) {
      if (standby != null && target instanceof MeasuredSwitch measured && measured.takeNeed()) {
        send(standby, List.of(target));
      } else {
        counts(target).unsent.increment();
      }
    }
  }

  private void send(IOFSwitch sw, List<Target> targets) {
    List<Probe> probes = new ArrayList<>(targets.size());
    List<OFMessage> messages = new ArrayList<>(targets.size());
    for (Target target : targets) {
      @Nullable Probe probe = outstanding.add(target, target.method(), nanoTime.getAsLong());
      if (probe == null) {
        counts(target).unsent.increment();
      } else {
        probes.add(probe);
        messages.add(message(sw.getOFFactory(), probe));
      }
    }
    Collection<OFMessage> refused = sw.write(messages);
    for (int i = 0; i < probes.size(); i++) {
      Probe probe = probes.get(i);
      if (!refused.isEmpty() && refused.contains(messages.get(i))) {
        outstanding.remove(probe);
        counts(probe.target).unsent.increment();
      } else {
        counts(probe.target).sent.increment();
        if (probe.target instanceof MeasuredLink link) {
          link.second().need();
        }
      }
    }
  }

  private Counters.Kind counts(Target target) {
    return target instanceof MeasuredSwitch ? counters.control : counters.links;
  }

  private OFMessage message(OFFactory factory, Probe probe) {
    Runnable written = () -> probe.written(nanoTime.getAsLong());
    if (probe.method == ControlMethod.ECHO) {
      return new TimedEchoRequest(factory, frames.echo(probe.number), written);
    }
    Target target = probe.target;
    byte[] frame = frames.frame(probe.number, target.sender(), target.senderPort());
    return new TimedPacketOut(factory, target.senderPort(), frame, written);
  }
}
