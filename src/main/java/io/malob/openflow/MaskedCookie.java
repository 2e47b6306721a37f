package io.malob.openflow;

import java.util.ArrayList;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowDelete;
import org.projectfloodlight.openflow.protocol.OFFlowStatsRequest;
import org.projectfloodlight.openflow.types.OFGroup;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;
import org.projectfloodlight.openflow.types.U64;

/** Selects rules by some bits of their cookies. */
public record MaskedCookie(U64 cookie, U64 mask) {

  static MaskedCookie of(long cookie, long mask) {
    return new MaskedCookie(U64.of(cookie), U64.of(mask));
  }

  /** Of these rules, those with a value in a field. */
  public MaskedCookie with(CookieField field, long value) {
    return of(cookie.getValue() | field.at(value), mask.getValue() | field.mask());
  }

  /** Of these rules, those with other values in a field: each of the results has another bit. */
  public List<MaskedCookie> without(CookieField field, long value) {
    List<MaskedCookie> others = new ArrayList<>();
    for (long bit = 1; bit <= field.max(); bit <<= 1) {
      others.add(of(cookie.getValue() | field.at(~value & bit), mask.getValue() | field.at(bit)));
    }
    return others;
  }

  /** Whether it selects a rule with this cookie. */
  public boolean matches(U64 other) {
    return other.applyMask(mask).equals(cookie.applyMask(mask));
  }

  /** Deletes the rules from all tables. */
  public OFFlowDelete delete(OFFactory factory) {
    return factory
        .buildFlowDelete()
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .setCookie(cookie)
        .setCookieMask(mask)
        .build();
  }

  /** Requests the rules in a table, or in {@link TableId#ALL}, with their counters. */
  public OFFlowStatsRequest request(OFFactory factory, TableId table) {
    return factory
        .buildFlowStatsRequest()
        .setMatch(factory.matchWildcardAll())
        .setTableId(table)
        .setOutPort(OFPort.ANY)
        .setOutGroup(OFGroup.ANY)
        .setCookie(cookie)
        .setCookieMask(mask)
        .build();
  }
}
