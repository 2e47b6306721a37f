package io.malob.controller.staticentries;

import com.google.common.base.Splitter;
import io.malob.json.RejectedException;
import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.action.OFAction;
import org.projectfloodlight.openflow.types.EthType;
import org.projectfloodlight.openflow.types.OFPort;

/** Reads actions in Floodlight's text form, like {@code "pop_vlan,output=2"}. Pure. */
final class Actions {
  private static final int WHOLE_PACKET = 0xffff;

  private Actions() {}

  /**
   * The actions of this text, in order; none if it is empty.
   *
   * @param field the field that has the text
   */
  static List<OFAction> of(OFFactory factory, String field, String text) throws RejectedException {
    List<OFAction> actions = new ArrayList<>();
    for (String action : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      int equals = action.indexOf('=');
      String kind = equals < 0 ? action : action.substring(0, equals).trim();
      String value = equals < 0 ? "" : action.substring(equals + 1).trim();
      actions.add(one(factory, field, kind, value));
    }
    return actions;
  }

  private static OFAction one(OFFactory factory, String field, String kind, String value)
      throws RejectedException {
    return switch (kind) {
      case "output" -> output(factory, Values.port(field, value));
      case "set_field" -> setField(factory, field, value);
      case "push_vlan" ->
          factory.actions().pushVlan(EthType.of(value.isEmpty() ? 0x8100 : vlanType(field, value)));
      case "pop_vlan", "strip_vlan" -> factory.actions().popVlan();
      default ->
          throw RejectedException.invalid(
              field,
              "\""
                  + kind
                  + "\" is not one of the actions output, set_field, push_vlan and pop_vlan");
    };
  }

  private static int vlanType(String field, String value) throws RejectedException {
    int type = Values.number(field, value, 0, 0xffff);
    if (type != 0x8100 && type != 0x88a8) {
      throw RejectedException.invalid(field, "push_vlan takes 0x8100 or 0x88a8");
    }
    return type;
  }

  private static OFAction output(OFFactory factory, OFPort port) {
    return factory.actions().output(port, port.equals(OFPort.CONTROLLER) ? WHOLE_PACKET : 0);
  }

  private static OFAction setField(OFFactory factory, String field, String value)
      throws RejectedException {
    int arrow = value.indexOf("->");
    if (arrow < 0) {
      throw RejectedException.invalid(field, "set_field must be written as set_field=NAME->VALUE");
    }
    String name = value.substring(0, arrow).trim();
    return factory
        .actions()
        .setField(MatchKind.oxm(factory, field, name, value.substring(arrow + 2)));
  }
}
