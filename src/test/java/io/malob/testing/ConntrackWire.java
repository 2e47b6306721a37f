package io.malob.testing;

import io.malob.openflow.tracked.ConntrackAction;
import io.malob.openflow.tracked.ConntrackReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.projectfloodlight.openflow.exceptions.OFParseError;
import org.projectfloodlight.openflow.protocol.OFBucket;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFGroupMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.action.OFActionSetQueue;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;

/**
 * Takes actions {@code ct}, which openflowj cannot read, out of a message before it is written, and
 * puts them back into what was read. Each action goes through bytes of its own. For one message;
 * not safe for use by several threads.
 */
final class ConntrackWire {
  /** Queues that no test uses stand for the actions. */
  private static final long FIRST_QUEUE = 0xfa00_0000L;

  private final List<ConntrackAction> hidden = new ArrayList<>();

  /** The message without such actions; the same object if it has none. */
  OFMessage hide(OFMessage message) {
    boolean hasAny = actions(message).stream().anyMatch(ConntrackAction.class::isInstance);
    return hasAny ? map(message, action -> hide(message, action)) : message;
  }

  /** The message with the actions that were hidden. */
  OFMessage show(OFMessage message) {
    return hidden.isEmpty() ? message : map(message, this::show);
  }

  private OFAction hide(OFMessage message, OFAction action) {
    if (!(action instanceof ConntrackAction conntrack)) {
      return action;
    }
    hidden.add(readBack(message.getVersion(), conntrack));
    return OFFactories.getFactory(message.getVersion())
        .actions()
        .setQueue(FIRST_QUEUE + hidden.size() - 1);
  }

  private OFAction show(OFAction action) {
    return action instanceof OFActionSetQueue queue && queue.getQueueId() >= FIRST_QUEUE
        ? hidden.get((int) (queue.getQueueId() - FIRST_QUEUE))
        : action;
  }

  private static ConntrackAction readBack(OFVersion version, ConntrackAction action) {
    ByteBuf bytes = Unpooled.buffer();
    action.writeTo(bytes);
    try {
      ConntrackAction read = ConntrackReader.read(version, bytes);
      if (bytes.isReadable()) {
        throw new AssertionError(bytes.readableBytes() + " bytes too many: " + action);
      }
      return read;
    } catch (OFParseError e) {
      throw new AssertionError("not an action: " + action, e);
    }
  }

  private static List<OFAction> actions(OFMessage message) {
    if (message instanceof OFFlowMod flowMod) {
      return flowMod.getInstructions().stream()
          .flatMap(instruction -> FakeRule.actions(instruction).stream())
          .toList();
    }
    if (message instanceof OFGroupMod groupMod) {
      return groupMod.getBuckets().stream().flatMap(each -> each.getActions().stream()).toList();
    }
    return message instanceof OFPacketOut packetOut ? packetOut.getActions() : List.of();
  }

  private static OFMessage map(OFMessage message, UnaryOperator<OFAction> change) {
    if (message instanceof OFFlowMod flowMod) {
      return flowMod
          .createBuilder()
          .setInstructions(
              flowMod.getInstructions().stream().map(each -> map(each, change)).toList())
          .build();
    }
    if (message instanceof OFGroupMod groupMod) {
      List<OFBucket> buckets =
          groupMod.getBuckets().stream()
              .map(each -> each.createBuilder().setActions(map(each.getActions(), change)).build())
              .toList();
      return groupMod.createBuilder().setBuckets(buckets).build();
    }
    OFPacketOut packetOut = (OFPacketOut) message;
    return packetOut.createBuilder().setActions(map(packetOut.getActions(), change)).build();
  }

  private static OFInstruction map(OFInstruction instruction, UnaryOperator<OFAction> change) {
    if (instruction instanceof OFInstructionApplyActions apply) {
      return apply.createBuilder().setActions(map(apply.getActions(), change)).build();
    }
    return instruction instanceof OFInstructionWriteActions write
        ? write.createBuilder().setActions(map(write.getActions(), change)).build()
        : instruction;
  }

  private static List<OFAction> map(List<OFAction> actions, UnaryOperator<OFAction> change) {
    return actions.stream().map(change).toList();
  }
}
