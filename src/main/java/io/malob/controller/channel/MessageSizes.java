package io.malob.controller.channel;

import io.malob.controller.channel.OpenFlowEncoder.MessageBatch;
import io.malob.openflow.WireMessage;
import io.netty.channel.DefaultMessageSizeEstimator;
import io.netty.channel.MessageSizeEstimator;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFEchoReply;
import org.projectfloodlight.openflow.protocol.OFEchoRequest;
import org.projectfloodlight.openflow.protocol.OFFlowMod;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstruction;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionApplyActions;
import org.projectfloodlight.openflow.protocol.instruction.OFInstructionWriteActions;

/**
 * The size in bytes of a message that waits for its channel's thread: about its size on the wire,
 * rather more. Parts of variable length are counted without encoding, which is fast. Stateless,
 * safe for use by several threads.
 */
final class MessageSizes implements MessageSizeEstimator, MessageSizeEstimator.Handle {
  /** A message without its data and actions; a match of a dozen fields fits in. */
  private static final int FIXED_BYTES = 256;

  /** The longest of the usual actions, which sets an IPv6 address. */
  private static final int ACTION_BYTES = 24;

  private final Handle ofBuffers = DefaultMessageSizeEstimator.DEFAULT.newHandle();

  @Override
  public Handle newHandle() {
    return this;
  }

  @Override
  public int size(Object message) {
    if (message instanceof OFMessage single) {
      return sizeOf(single);
    } else if (message instanceof MessageBatch batch) {
      int sum = 0;
      for (OFMessage each : batch.messages()) {
        sum += sizeOf(each);
      }
      return sum;
    }
    return ofBuffers.size(message);
  }

  private static int sizeOf(OFMessage message) {
    int bytes = FIXED_BYTES;
    if (message instanceof WireMessage ofConnection) {
      bytes += ofConnection.packetBytes();
    } else if (message instanceof OFPacketOut out) {
      bytes += out.getData().length + sizeOf(out.getActions());
    } else if (message instanceof OFFlowMod rule) {
      for (OFInstruction instruction : rule.getInstructions()) {
        bytes += sizeOf(instruction);
      }
    } else if (message instanceof OFEchoRequest request) {
      bytes += request.getData().length;
    } else if (message instanceof OFEchoReply reply) {
      bytes += reply.getData().length;
    }
    return bytes;
  }

  private static int sizeOf(OFInstruction instruction) {
    if (instruction instanceof OFInstructionApplyActions apply) {
      return sizeOf(apply.getActions());
    } else if (instruction instanceof OFInstructionWriteActions write) {
      return sizeOf(write.getActions());
    }
    return 0;
  }

  private static int sizeOf(List<OFAction> actions) {
    return ACTION_BYTES * actions.size();
  }
}
