package io.malob.controller.channel;

import com.google.common.collect.ImmutableList;
import io.malob.controller.bond.Bond;
import io.malob.controller.bond.BondedPorts;
import io.malob.controller.bond.BondedPorts.Result;
import io.malob.controller.bond.Bonds;
import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFeaturesReply;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hides the bonds of a switch from the rest of the controller, as {@link BondedPorts} says. Passes
 * all messages on unchanged until the switch is known, and if it has no bonds. On the channel's
 * thread only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel
final class BondHandler extends ChannelDuplexHandler {
  private static final Logger logger = LoggerFactory.getLogger(BondHandler.class);

  private final Bonds bonds;
  private final LongSupplier nanoTime;
  private @Nullable BondedPorts ports;

  BondHandler(Bonds bonds, LongSupplier nanoTime) {
    this.bonds = bonds;
    this.nanoTime = nanoTime;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) {
    if (input instanceof OFFeaturesReply features && ports == null) {
      begin(features);
    }
    @Nullable BondedPorts known = ports;
    if (known == null || !(input instanceof OFMessage message)) {
      ctx.fireChannelRead(input);
      return;
    }
    Result result = known.fromSwitch(message);
    if (!result.toSwitch().isEmpty()) {
      ctx.writeAndFlush(new MessageBatch(result.toSwitch()));
    }
    result.toController().forEach(ctx::fireChannelRead);
  }

  private void begin(OFFeaturesReply features) {
    ImmutableList<Bond> here = bonds.of(features.getDatapathId());
    if (here.isEmpty()) {
      return;
    }
    if (features.getVersion() == OFVersion.OF_15) {
      logger.warn(
          "bonds_unsupported switch={} - it speaks OpenFlow 1.5, and bonds need 1.3 or 1.4",
          features.getDatapathId());
      return;
    }
    ports = new BondedPorts(here, OFFactories.getFactory(features.getVersion()), nanoTime);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object output, ChannelPromise promise) {
    @Nullable BondedPorts known = ports;
    if (known != null && output instanceof OFMessage message) {
      ctx.write(new MessageBatch(known.toSwitch(message)), promise);
    } else if (known != null && output instanceof MessageBatch batch) {
      List<OFMessage> all = new ArrayList<>();
      batch.messages().forEach(each -> all.addAll(known.toSwitch(each)));
      ctx.write(new MessageBatch(all), promise);
    } else {
      ctx.write(output, promise);
    }
  }
}
