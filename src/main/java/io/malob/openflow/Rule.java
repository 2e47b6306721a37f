package io.malob.openflow;

import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;

/**
 * What an owner wants on a switch: a rule, group or meter, or several that come and go together.
 * Equal ones do the same on every switch. Immutable.
 */
public interface Rule {
  /** Its identity: of two with equal keys, a switch has the later one. */
  default Object key() {
    return this;
  }

  /** Adds it, or replaces the one with the same key; no effect if the switch has it. */
  List<OFMessage> add(OFFactory factory);

  /** Deletes it, or the one with the same key; no effect if the switch lacks it. */
  List<OFMessage> remove(OFFactory factory);
}
