package io.malob.openflow.subflow;

import io.malob.openflow.CookieField;
import io.malob.openflow.CookieKind.Application;
import io.malob.openflow.MaskedCookie;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsRequest;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.TableId;

/** Messages about the rules for sub-flows of one switch. Pure. */
public final class SubflowMessages {
  /** Epochs are from 0 to less than this. */
  public static final int EPOCHS = (int) CookieField.EPOCH.max() + 1;

  private static final MaskedCookie ALL = Application.SUBFLOWS.all();

  private SubflowMessages() {}

  /** Deletes the rules of a switch with other epochs. */
  public static List<OFMessage> removeOthers(OFFactory factory, int epoch) {
    return ALL.without(CookieField.EPOCH, epoch).stream()
        .<OFMessage>map(other -> other.delete(factory))
        .toList();
  }

  /** Requests the number of rules for sub-flows of a switch. */
  public static OFAggregateStatsRequest count(OFFactory factory) {
    return factory
        .buildAggregateStatsRequest()
        .setTableId(TableId.ALL)
        .setOutPort(OFPort.ANY)
        .setCookie(ALL.cookie())
        .setCookieMask(ALL.mask())
        .build();
  }
}
