package io.malob.openflow;

import io.malob.algorithm.Attachment;
import io.malob.openflow.label.Label;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Where translated packets leave a switch.
 *
 * @param label the label to write; null if the receiver is on this switch
 * @param entry where the path of the label enters segments; 0 if it crosses none
 * @param receiver the next hop that they are for
 * @param out the port to the next switch or to the receiver; {@link OFPort#IN_PORT} if the packets
 *     go back to where they come from
 * @param replyPath the ordinal of the path by which the receiver's switch is to lead the replies to
 *     these packets, from 1 on; 0 if they do not say it
 */
public record Onward(
    @Nullable Label label, int entry, Attachment receiver, OFPort out, int replyPath) {

  /** Over a labelled path. */
  public Onward(@Nullable Label label, int entry, Attachment receiver, OFPort out) {
    this(label, entry, receiver, out, 0);
  }

  /** Over a labelled path that begins at that port, and crosses no segment. */
  public static Onward by(Label label, OFPort out, Attachment receiver) {
    return new Onward(label, 0, receiver, out);
  }

  /** To a next hop of this switch. */
  public static Onward to(Attachment receiver) {
    return new Onward(null, 0, receiver, receiver.port());
  }

  /** The same for packets that come in at a port. */
  public Onward from(OFPort in) {
    return in.equals(out) ? new Onward(label, entry, receiver, OFPort.IN_PORT, replyPath) : this;
  }

  /** The same, with the ordinal of the path of replies. */
  public Onward answeredBy(int path) {
    return new Onward(label, entry, receiver, out, path);
  }
}
