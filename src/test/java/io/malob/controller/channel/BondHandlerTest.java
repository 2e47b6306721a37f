package io.malob.controller.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.common.collect.ImmutableList;
import io.malob.controller.bond.Bonds;
import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPortDesc;
import org.projectfloodlight.openflow.protocol.OFPortReason;
import org.projectfloodlight.openflow.protocol.OFPortState;
import org.projectfloodlight.openflow.protocol.OFPortStatus;
import org.projectfloodlight.openflow.protocol.OFType;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/** The messages of a switch with a bond of the ports 3 and 4, and of one without. */
class BondHandlerTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final Bonds BONDS = Bonds.parse("00:00:00:00:00:00:00:01/3+4");

  private final EmbeddedChannel channel = new EmbeddedChannel(new BondHandler(BONDS, () -> 0));

  private void connect(OFFactory factory, long switchId) {
    channel.writeInbound(
        factory
            .buildFeaturesReply()
            .setDatapathId(DatapathId.of(switchId))
            .setCapabilities(Set.of())
            .build());
    channel.readInbound();
  }

  private static OFFlowAdd toPort(OFFactory factory, int port) {
    return factory
        .buildFlowAdd()
        .setInstructions(
            List.of(
                factory
                    .instructions()
                    .applyActions(
                        List.of(factory.actions().output(OFPort.of(port), Integer.MAX_VALUE)))))
        .build();
  }

  private static OFPortStatus status(int port, boolean isUp) {
    return FACTORY
        .buildPortStatus()
        .setReason(OFPortReason.MODIFY)
        .setDesc(
            FACTORY
                .buildPortDesc()
                .setPortNo(OFPort.of(port))
                .setState(isUp ? Set.of() : Set.of(OFPortState.LINK_DOWN))
                .build())
        .build();
  }

  private List<OFType> written() {
    return ImmutableList.copyOf(((MessageBatch) channel.readOutbound()).messages()).stream()
        .map(OFMessage::getType)
        .toList();
  }

  @Test
  void switchWithABond_getsItsGroup_alsoForRulesOfABatch() {
    connect(FACTORY, 1);
    channel.writeOutbound(
        new MessageBatch(ImmutableList.of(FACTORY.barrierRequest(), toPort(FACTORY, 3))));
    assertEquals(
        List.of(OFType.BARRIER_REQUEST, OFType.GROUP_MOD, OFType.GROUP_MOD, OFType.FLOW_MOD),
        written());
    channel.writeOutbound(toPort(FACTORY, 3));
    assertEquals(List.of(OFType.FLOW_MOD), written());
  }

  @Test
  void changesOfItsPorts_areTold_andChangeTheGroup() {
    connect(FACTORY, 1);
    channel.writeInbound(status(3, true), status(4, true));
    channel.releaseInbound();
    channel.writeOutbound(toPort(FACTORY, 3));
    channel.releaseOutbound();
    channel.writeInbound(status(3, false));
    OFPortDesc told = assertInstanceOf(OFPortStatus.class, channel.readInbound()).getDesc();
    assertEquals("3 true", told.getPortNo() + " " + told.isEnabled());
    assertEquals(List.of(OFType.GROUP_MOD, OFType.GROUP_MOD), written());
  }

  @Test
  void otherSwitches_areLeftAlone() {
    connect(FACTORY, 2);
    OFFlowAdd rule = toPort(FACTORY, 3);
    channel.writeOutbound(rule);
    assertSame(rule, channel.readOutbound());
    OFPortStatus status = status(4, true);
    channel.writeInbound(status);
    assertSame(status, channel.readInbound());
  }

  @Test
  void switchOfOpenFlow15_isLeftAlone_asItsGroupsAreOthers() {
    OFFactory factory = OFFactories.getFactory(OFVersion.OF_15);
    connect(factory, 1);
    OFFlowAdd rule = toPort(factory, 3);
    channel.writeOutbound(rule);
    assertSame(rule, channel.readOutbound());
  }
}
