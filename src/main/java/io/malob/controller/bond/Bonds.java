package io.malob.controller.bond;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * The bonds that the operator has named. Immutable.
 *
 * @param bySwitch each bond by its switch
 */
public record Bonds(ImmutableListMultimap<DatapathId, Bond> bySwitch) {
  /** No bonds. */
  public static final Bonds NONE = new Bonds(ImmutableListMultimap.of());

  private static final Pattern BOND =
      Pattern.compile("([0-9a-fA-F:]+)/(\\d{1,5}(?:\\+\\d{1,5})+)(\\s+lacp)?");

  /**
   * Reads {@code 00:00:00:00:00:00:00:01/1+2, 00:00:00:00:00:00:00:02/3+4 lacp}.
   *
   * @throws IllegalArgumentException if it is no such list, or has a port twice
   */
  public static Bonds parse(String text) {
    ImmutableListMultimap.Builder<DatapathId, Bond> bonds = ImmutableListMultimap.builder();
    Set<NodePortTuple> ports = new HashSet<>();
    for (String each : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      Bond bond = bond(each);
      for (OFPort port : bond.ports()) {
        if (!ports.add(new NodePortTuple(bond.switchId(), port))) {
          throw new IllegalArgumentException("\"" + each + "\" has a port that was named before");
        }
      }
      bonds.put(bond.switchId(), bond);
    }
    return new Bonds(bonds.build());
  }

  private static Bond bond(String text) {
    Matcher found = BOND.matcher(text);
    if (!found.matches()) {
      throw new IllegalArgumentException("\"" + text + "\" is no bond, such as 00:…:01/1+2 lacp");
    }
    ImmutableList.Builder<OFPort> ports = ImmutableList.builder();
    for (String port : Splitter.on('+').split(found.group(2))) {
      int number = Integer.parseInt(port);
      if (number < 1 || number > Bond.MAX_PORT) {
        throw new IllegalArgumentException(
            "\"" + text + "\" has a port that is not from 1 to " + Bond.MAX_PORT);
      }
      ports.add(OFPort.of(number));
    }
    return new Bond(DatapathId.of(found.group(1)), ports.build(), found.group(3) != null);
  }

  /** The bonds of a switch. */
  public ImmutableList<Bond> of(DatapathId switchId) {
    return bySwitch.get(switchId);
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return bySwitch.isEmpty();
  }
}
