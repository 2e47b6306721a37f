package io.malob.latency;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import io.malob.openflow.TimedEchoRequest;
import io.malob.openflow.TimedPacketOut;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFEchoReply;

/** Sends probes. For one thread. */
final class ProbeSender {
  private final IOFSwitchService switches;
  private final ProbeFrames frames;
  private final OutstandingProbes outstanding;
  private final ProbeReceiver receiver;
  private final Counters counters;
  private final LongSupplier nanoTime;

  ProbeSender(
      IOFSwitchService switches,
      ProbeFrames frames,
      OutstandingProbes outstanding,
      ProbeReceiver receiver,
      Counters counters,
      LongSupplier nanoTime) {
    this.switches = switches;
    this.frames = frames;
    this.outstanding = outstanding;
    this.receiver = receiver;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Probes a link or a switch, in the way that its state asks for. */
  void send(Target target) {
    boolean toSwitch = target instanceof MeasuredSwitch;
    ControlMethod method =
        target instanceof MeasuredSwitch measured ? measured.method() : ControlMethod.PACKET;
    Counters.Kind kind = toSwitch ? counters.control : counters.links;
    @Nullable IOFSwitch sw = switches.getActiveSwitch(target.sender());
    @Nullable Probe probe =
        sw == null ? null : outstanding.add(target, method, nanoTime.getAsLong());
    if (sw == null || probe == null) {
      kind.unsent.increment();
    } else if (method == ControlMethod.ECHO) {
      kind.sent.increment();
      sendEcho(sw, probe);
    } else if (sendFrame(sw, probe)) {
      kind.sent.increment();
    } else {
      outstanding.remove(probe);
      kind.unsent.increment();
    }
  }

  private boolean sendFrame(IOFSwitch sw, Probe probe) {
    Target target = probe.target();
    byte[] frame = frames.frame(probe.number(), target.sender(), target.senderPort());
    return sw.write(
        new TimedPacketOut(
            sw.getOFFactory(),
            target.senderPort(),
            frame,
            () -> probe.written(nanoTime.getAsLong())));
  }

  /** Its answer is recognized by its transaction id; a failed one times out as lost. */
  private void sendEcho(IOFSwitch sw, Probe probe) {
    TimedEchoRequest request =
        new TimedEchoRequest(sw.getOFFactory(), () -> probe.written(nanoTime.getAsLong()));
    Futures.addCallback(
        sw.writeRequest(request),
        new FutureCallback<OFEchoReply>() {
          @Override
          public void onSuccess(@Nullable OFEchoReply reply) {
            receiver.answered(probe, nanoTime.getAsLong());
          }

          @Override
          public void onFailure(Throwable unanswered) {
            // given up when its time is over
          }
        },
        MoreExecutors.directExecutor());
  }
}
