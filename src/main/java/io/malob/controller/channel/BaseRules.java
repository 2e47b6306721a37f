package io.malob.controller.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/**
 * The rules of every switch that this controller is master of: table misses go to the controller,
 * with the whole packet, in the tables that modules use.
 */
final class BaseRules {
  /** The max number of tables that modules use. */
  private static final int MAX_TABLES = 4;

  /** OFPCML_NO_BUFFER: packets come whole, the switch keeps none. */
  private static final int NO_BUFFER = 0xffff;

  private BaseRules() {}

  /**
   * The messages for these rules, in order.
   *
   * @param tables how many tables the switch has
   */
  static List<OFMessage> messages(OFFactory factory, int tables) {
    List<OFMessage> messages = new ArrayList<>(MAX_TABLES + 1);
    messages.add(factory.buildSetConfig().setFlags(Set.of()).setMissSendLen(NO_BUFFER).build());
    for (int table = 0; table < Math.min(tables, MAX_TABLES); table++) {
      messages.add(tableMiss(factory, table));
    }
    return messages;
  }

  private static OFFlowAdd tableMiss(OFFactory factory, int table) {
    return factory
        .buildFlowAdd()
        .setTableId(TableId.of(table))
        .setPriority(0)
        .setActions(List.of(factory.actions().output(OFPort.CONTROLLER, NO_BUFFER)))
        .build();
  }
}
