package io.malob.controller.channel;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFControllerRole;

/**
 * The role status of OpenFlow 1.4 as an extension of 1.3 (Open Networking Foundation, EXT-191),
 * which Open vSwitch sends to a master that another controller displaces. openflowj does not know
 * it.
 */
record RoleNotice(OFControllerRole role) {
  private static final int EXPERIMENTER = 4;
  private static final int ONF = 0x4f4e4600;
  private static final int ROLE_STATUS = 1911;
  private static final int BYTES = 32;
  private static final int EXPERIMENTER_OFFSET = 8;
  private static final int SUBTYPE_OFFSET = 12;
  private static final int ROLE_OFFSET = 16;

  /** Reads a message of OpenFlow 1.3; null if it is another one. Does not consume it. */
  static @Nullable RoleNotice read(ByteBuf frame) {
    int start = frame.readerIndex();
    boolean isRoleStatus =
        frame.readableBytes() == BYTES
            && frame.getByte(start + 1) == EXPERIMENTER
            && frame.getInt(start + EXPERIMENTER_OFFSET) == ONF
            && frame.getInt(start + SUBTYPE_OFFSET) == ROLE_STATUS;
    if (!isRoleStatus) {
      return null;
    }
    return switch (frame.getInt(start + ROLE_OFFSET)) {
      case 1 -> new RoleNotice(OFControllerRole.ROLE_EQUAL);
      case 2 -> new RoleNotice(OFControllerRole.ROLE_MASTER);
      case 3 -> new RoleNotice(OFControllerRole.ROLE_SLAVE);
      default -> null;
    };
  }
}
