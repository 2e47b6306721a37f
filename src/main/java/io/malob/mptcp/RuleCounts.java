package io.malob.mptcp;

import io.malob.openflow.Answers;
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
 * Polls switches for the number of their rules for sub-flows: a switch with a wrong number, for any
 * reason, gets all rules again.
 *
 * @param serialExecutor the thread of the installer, on which all of this runs
 */
record RuleCounts(IOFSwitchService switches, RuleInstaller installer, Executor serialExecutor) {
  private static final Logger LOG = LoggerFactory.getLogger(RuleCounts.class);

  /** To be called regularly. */
  void compare() {
    for (DatapathId switchId : installer.atRest()) {
      @Nullable IOFSwitch sw = switches.getActiveSwitch(switchId);
      if (sw != null) {
        int expected = installer.expected(switchId);
        Answers.take(
            sw.writeStatsRequest(SubflowMessages.count(sw.getOFFactory())),
            serialExecutor,
            replies -> counted(switchId, expected, replies),
            cause -> {}); // it is polled again, or has disconnected
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
