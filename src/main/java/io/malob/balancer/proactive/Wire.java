package io.malob.balancer.proactive;

import io.malob.openflow.SwitchTables;
import org.projectfloodlight.openflow.protocol.OFFactory;

/** What an edge needs to send rules. */
record Wire(ProgrammedSwitch sw, SwitchTables tables, boolean matchesTcpFlags) {
  OFFactory factory() {
    return tables.factory();
  }

  /** Whether rules that match TCP flags can lead to others: they need a second table. */
  boolean countsTcpFlags() {
    return matchesTcpFlags && !tables.isOne();
  }
}
