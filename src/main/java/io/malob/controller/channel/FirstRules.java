package io.malob.controller.channel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first rules of every switch that this controller is master of, and its configuration: table
 * misses go to the controller, with the whole packet, in the tables that modules use. An object
 * knows what one handshake has sent, for its refusals.
 */
final class FirstRules {
  private static final Logger logger = LoggerFactory.getLogger(HandshakeHandler.class);

  /** The max number of tables that modules use. */
  private static final int MAX_TABLES = 4;

  /** OFPCML_NO_BUFFER: packets come whole, the switch keeps none. */
  private static final int NO_BUFFER = 0xffff;

  private long configXid = -1;

  /** Tables by the transaction ids of their table-miss rules. */
  private final Map<Long, Short> tablesByXid = new HashMap<>();

  /**
   * The messages for these rules, in order.
   *
   * @param tables how many tables the switch has
   */
  static List<OFMessage> of(OFFactory factory, int tables) {
    List<OFMessage> messages = new ArrayList<>(MAX_TABLES + 1);
    messages.add(factory.buildSetConfig().setFlags(Set.of()).setMissSendLen(NO_BUFFER).build());
    for (int table = 0; table < Math.min(tables, MAX_TABLES); table++) {
      messages.add(
          factory
              .buildFlowAdd()
              .setTableId(TableId.of(table))
              .setPriority(0)
              .setActions(List.of(factory.actions().output(OFPort.CONTROLLER, NO_BUFFER)))
              .build());
    }
    return messages;
  }

  /** The same, to be sent by this handshake. */
  List<OFMessage> messages(OFFactory factory, int tables) {
    List<OFMessage> messages = of(factory, tables);
    for (OFMessage message : messages) {
      if (message instanceof OFFlowAdd rule) {
        tablesByXid.put(rule.getXid(), rule.getTableId().getValue());
      } else {
        configXid = message.getXid();
      }
    }
    return messages;
  }

  /**
   * Logs a refusal of one of the messages; returns whether it is one. A slave is refused all rules,
   * and gets them when its role changes.
   */
  boolean logRefusal(OFErrorMsg error, String peer, boolean isSlave) {
    @Nullable Short table = tablesByXid.get(error.getXid());
    if (error.getXid() == configXid) {
      logger.info(
          "set_config_refused from={} why=\"{}\" - it may cut packets that no rule sends",
          peer,
          ErrorKind.of(error));
    } else if (table == null) {
      return false;
    } else if (isSlave) {
      return true;
    } else if (table == 0) {
      logger.warn(
          "table_miss_refused from={} table={} why=\"{}\" - it may drop packets of new connections",
          peer,
          table,
          ErrorKind.of(error));
    } else {
      // what the switch can do without the rule is found out by probes, once it is active
      logger.info(
          "table_miss_refused from={} table={} why=\"{}\" - it has fewer tables than it claims, or"
              + " a full one",
          peer,
          table,
          ErrorKind.of(error));
    }
    return true;
  }
}
