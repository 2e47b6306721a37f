package io.malob.mptcp;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import io.malob.openflow.subflow.SubflowMessages;
import java.util.List;
import java.util.concurrent.Executor;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFAggregateStatsReply;
import org.projectfloodlight.openflow.types.DatapathId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks switches how many rules for sub-flows they have: one that has more or fewer than it should,
 * whoever has changed that, gets all of them.
 *
 * @param serialExecutor the thread of the installer, on which all of this runs
 */
record RuleCounts(IOFSwitchService switches, RuleInstaller installer, Executor serialExecutor) {
  private static final Logger LOG = LoggerFactory.getLogger(RuleCounts.class);

  /** To be called now and then. */
  void compare() {
    for (DatapathId switchId : installer.atRest()) {
      @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
      if (sw != null) {
        int expected = installer.expected(switchId);
        Futures.addCallback(
            sw.writeStatsRequest(SubflowMessages.count(sw.getOFFactory())),
            new FutureCallback<List<OFAggregateStatsReply>>() {
              @Override
              public void onSuccess(@Nullable List<OFAggregateStatsReply> replies) {
                if (replies != null) {
                  counted(switchId, expected, replies);
                }
              }

              @Override
              public void onFailure(Throwable cause) {
                // it is asked again, or has gone
              }
            },
            serialExecutor);
      }
    }
  }

  private void counted(DatapathId switchId, int expected, List<OFAggregateStatsReply> replies) {
    long found = replies.stream().mapToLong(OFAggregateStatsReply::getFlowCount).sum();
    boolean isComparable = installer.expected(switchId) == expected && installer.isAtRest(switchId);
    if (isComparable && found != expected) {
      LOG.warn(
          "mptcp_rules_differ switch={} found={} expected={} - they are sent again",
          switchId,
          found,
          expected);
      installer.doubt(switchId);
    }
  }
}
