package io.malob.openflow;

import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.match.Match;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.OFValueType;

/** Copies of matches. Pure. */
public final class Matches {
  private Matches() {}

  /**
   * A builder with all fields of a match. Not {@code match.createBuilder()}, which forgets all
   * fields when another is set.
   */
  public static Match.Builder builderOf(OFFactory factory, Match match) {
    Match.Builder copy = factory.buildMatch();
    match.getMatchFields().forEach(field -> copy(match, field, copy));
    return copy;
  }

  private static <F extends OFValueType<F>> void copy(
      Match from, MatchField<F> field, Match.Builder to) {
    if (from.isExact(field)) {
      to.setExact(field, from.get(field));
    } else {
      to.setMasked(field, from.getMasked(field));
    }
  }
}
