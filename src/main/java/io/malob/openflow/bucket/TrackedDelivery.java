package io.malob.openflow.bucket;

import io.malob.algorithm.Attachment;
import io.malob.openflow.FlowLayout;
import io.malob.openflow.HostRules;
import io.malob.openflow.NextHopMac;
import io.malob.openflow.PacketOuts;
import io.malob.openflow.SwitchRules;
import io.malob.openflow.packet.VlanTag;
import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.Nat;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.action.OFAction;

/**
 * How the controller sends packets of tracked connections on in the place of rules: the switches at
 * both ends see them as they would by these. Otherwise a client's edge forgets a connection that it
 * takes for unanswered, and a member's edge takes replies for ordinary traffic. Pure.
 */
public final class TrackedDelivery {
  private TrackedDelivery() {}

  /** Has a client's edge translate a member's reply, and send it to its next hop there. */
  public static OFMessage reply(
      OFFactory factory, BucketTraffic traffic, Attachment nextHop, byte[] frame) {
    return PacketOuts.of(
        factory,
        VlanTag.set(frame, 0),
        List.of(
            factory.actions().setField(factory.oxms().ethSrc(NextHopMac.of(nextHop))),
            ConntrackAction.inZone(factory, traffic.zone())
                .translate(Nat.EXISTING)
                .continueIn(FlowLayout.HOSTS)));
  }

  /**
   * Has a member's edge remember the connection of a translated request, and deliver it.
   *
   * @param replyPath the ordinal of the path of its replies, from 1 on
   */
  public static OFMessage request(
      OFFactory factory,
      BucketTraffic traffic,
      Attachment member,
      int memberNumber,
      int replyPath,
      byte[] frame) {
    List<OFAction> actions = new ArrayList<>();
    actions.add(
        ConntrackAction.inZone(factory, traffic.memberZone())
            .commit()
            .setMark(TrackedMark.of(memberNumber, replyPath)));
    actions.addAll(HostRules.toReceiver(factory, member));
    actions.add(SwitchRules.output(factory, member.port()));
    return PacketOuts.of(factory, VlanTag.set(frame, 0), actions);
  }
}
