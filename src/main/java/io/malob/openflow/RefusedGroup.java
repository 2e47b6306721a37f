package io.malob.openflow;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.errormsg.OFGroupModFailedErrorMsg;

/**
 * A group of a label that a switch has or has not, unlike this controller believes: another
 * controller may have added or deleted it.
 *
 * @param label the label's id
 * @param exists whether the switch has the group
 */
public record RefusedGroup(int label, boolean exists) {
  /** The wire format's number of GROUP_MOD, from OpenFlow 1.3 on. */
  private static final byte GROUP_MOD = 15;

  /** Behind header, command and type, in every version. */
  private static final int GROUP_AT = 12;

  /** The group of an error; empty if it is about something else. */
  public static Optional<RefusedGroup> of(OFErrorMsg error) {
    byte[] quoted = error.getData().getData();
    if (!(error instanceof OFGroupModFailedErrorMsg failed)
        || quoted.length < GROUP_AT + Integer.BYTES
        || quoted[1] != GROUP_MOD) {
      return Optional.empty();
    }
    OptionalInt label = LabelGroups.labelOf(ByteBuffer.wrap(quoted).getInt(GROUP_AT));
    return label.isEmpty()
        ? Optional.empty()
        : switch (failed.getCode()) {
          case GROUP_EXISTS -> Optional.of(new RefusedGroup(label.getAsInt(), true));
          case UNKNOWN_GROUP -> Optional.of(new RefusedGroup(label.getAsInt(), false));
          default -> Optional.empty();
        };
  }
}
