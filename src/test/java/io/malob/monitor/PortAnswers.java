package io.malob.monitor;

import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** Puts answers of switches about their ports together. */
final class PortAnswers {
  static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  private final List<OFPortStatsEntry> entries = new ArrayList<>();

  /** A port that does not tell how long it has been there. */
  PortAnswers port(int number, long txBytes) {
    return port(number, txBytes, 0, 0);
  }

  PortAnswers port(int number, long txBytes, long lifeSeconds, long lifeNanos) {
    entries.add(
        FACTORY
            .buildPortStatsEntry()
            .setPortNo(OFPort.of(number))
            .setTxBytes(U64.of(txBytes))
            .setDurationSec(lifeSeconds)
            .setDurationNsec(lifeNanos)
            .build());
    return this;
  }

  List<OFPortStatsReply> make() {
    return List.of(FACTORY.buildPortStatsReply().setEntries(entries).build());
  }
}
