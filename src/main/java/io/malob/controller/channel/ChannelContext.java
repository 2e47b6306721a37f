package io.malob.controller.channel;

import io.malob.controller.bond.Bonds;
import io.malob.module.Mastership;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What the connections of all switches share.
 *
 * @param mastership decides about roles in a cluster; empty without one
 * @param nanoTime counts nanoseconds
 */
public record ChannelContext(
    ChannelSettings settings,
    Admission admission,
    DatapathClaims claims,
    PacketInQueues queues,
    SwitchEvents events,
    Bonds bonds,
    Optional<Mastership> mastership,
    LongSupplier nanoTime) {
  /** The max number of flushes that are merged while messages keep coming in. */
  private static final int FLUSHES_TOGETHER = 256;

  /** Sets up a new connection. */
  void addHandlers(ChannelPipeline pipeline) {
    ProtocolVersion version = new ProtocolVersion();
    EchoKeepAlive echo = new EchoKeepAlive(version, settings, nanoTime);
    OpenFlowDecoder decoder = new OpenFlowDecoder(version);
    pipeline
        .addLast(decoder)
        .addLast(new OpenFlowEncoder())
        .addLast(new PacketInGate(queues, nanoTime));
    if (!bonds.isEmpty()) {
      pipeline.addLast(new BondHandler(bonds, nanoTime));
    }
    pipeline
        // all output of one batch of input is sent together
        .addLast(new FlushConsolidationHandler(FLUSHES_TOGETHER, true))
        .addLast(echo)
        .addLast(
            new HandshakeHandler(
                this, version, echo, sw -> new SwitchHandler(this, sw, decoder::bytesRead)));
  }
}
