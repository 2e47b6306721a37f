package io.malob.controller.channel;

import io.malob.controller.bond.Bonds;
import io.malob.controller.guard.Refusal;
import io.malob.module.Mastership;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import net.floodlightcontroller.core.PortChangeType;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFControllerRole;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFAuxId;
import org.projectfloodlight.openflow.types.U64;

/** The controller's end of one connection in memory; the test plays the switch and the clock. */
abstract class EmbeddedSwitch {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  static final ChannelSettings SETTINGS = new ChannelSettings(1_000, 2_500, 1_500, 3, 6_000);

  final List<String> events = new ArrayList<>();
  OpenFlowSwitch sw;
  long nanos;
  boolean listenerFails;
  private final ByteBuf sent = Unpooled.buffer();

  private final SwitchEvents recorder =
      new SwitchEvents() {
        @Override
        public void activated(OpenFlowSwitch active) {
          sw = active;
          events.add("activated");
        }

        @Override
        public void roleChanged(OpenFlowSwitch same) {
          events.add(same.getControllerRole() + " " + same.getStatus());
        }

        @Override
        public void portChanged(OpenFlowSwitch same, OFPortDesc port, PortChangeType change) {
          events.add(port.getPortNo() + " " + change);
        }

        @Override
        public void received(OpenFlowSwitch same, OFMessage message) {
          events.add("received " + message.getType());
          if (listenerFails) {
            throw new IllegalStateException("on purpose");
          }
        }

        @Override
        public void refused(Refusal refusal) {
          events.add("refused " + refusal);
        }

        @Override
        public void disconnected(OpenFlowSwitch same) {
          events.add("disconnected");
        }
      };

  final DatapathClaims claims = new DatapathClaims(() -> nanos);
  final PacketInQueues queues = new PacketInQueues();

  final EmbeddedChannel channel;
  final Optional<Mastership> mastership;

  EmbeddedSwitch() {
    this(Admission.EVERYONE);
  }

  EmbeddedSwitch(Admission admission) {
    this(admission, Optional.empty());
  }

  EmbeddedSwitch(Admission admission, Optional<Mastership> mastership) {
    this.mastership = mastership;
    channel =
        new EmbeddedChannel(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel created) {
                new ChannelContext(
                        SETTINGS,
                        admission,
                        claims,
                        queues,
                        recorder,
                        Bonds.NONE,
                        mastership,
                        () -> nanos)
                    .addHandlers(created.pipeline());
              }
            });
    channel.freezeTime();
  }

  /** Lets time pass, and does what is due then. */
  final void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  /** The next message from the controller; null if there is none. */
  final OFMessage next() {
    channel.runPendingTasks();
    ByteBuf more;
    while ((more = channel.readOutbound()) != null) {
      sent.writeBytes(more);
      more.release();
    }
    try {
      return sent.isReadable() ? OFFactories.getGenericReader().readFrom(sent) : null;
    } catch (OFParseError e) {
      throw new AssertionError(e);
    }
  }

  /** Forgets what the controller has sent. */
  final void skipSent() {
    while (next() != null) {
      // dropped
    }
  }

  /** The controller gets this message. */
  final void receive(OFMessage message) {
    ByteBuf buffer = Unpooled.buffer();
    message.writeTo(buffer);
    channel.writeInbound(buffer);
  }

  /** The controller gets these bytes. */
  final void receiveBytes(int... bytes) {
    ByteBuf buffer = Unpooled.buffer();
    for (int each : bytes) {
      buffer.writeByte(each);
    }
    channel.writeInbound(buffer);
  }

  final void receiveHello(int version) {
    receiveHello(version, 0);
  }

  final void receiveHello(int version, int bitmap) {
    if (bitmap == 0) {
      receiveBytes(version, 0, 0, 8, 0, 0, 0, 1);
    } else {
      receiveBytes(version, 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, bitmap);
    }
  }

  /** Goes through the handshake. */
  final void activate() {
    receiveHello(4);
    receive(features(254, OFAuxId.MAIN));
    receive(FACTORY.buildPortDescStatsReply().setEntries(List.of()).build());
    receive(description());
    receive(FACTORY.barrierReply());
    skipSent();
    events.clear();
  }

  static OFMessage features(int tables, OFAuxId auxiliaryId) {
    return FACTORY
        .buildFeaturesReply()
        .setDatapathId(DatapathId.of(7))
        .setNTables((short) tables)
        .setAuxiliaryId(auxiliaryId)
        .setCapabilities(Set.of())
        .build();
  }

  static OFMessage description() {
    return FACTORY
        .buildDescStatsReply()
        .setMfrDesc("maker")
        .setHwDesc("")
        .setSwDesc("")
        .setSerialNum("")
        .setDpDesc("")
        .build();
  }

  static OFMessage roleReply(long xid, OFControllerRole role, long generation) {
    return FACTORY
        .buildRoleReply()
        .setXid(xid)
        .setRole(role)
        .setGenerationId(U64.of(generation))
        .build();
  }
}
