package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.proactive.SourceProbe.Result;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.FlowProgrammer;
import io.malob.openflow.bucket.BucketSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.types.DatapathId;

class SourceProbeTest {
  private static final DatapathId SWITCH = DatapathId.of(1);

  private final FakeSwitches switches = new FakeSwitches(1);
  private final SourceProbe probe =
      new SourceProbe(new FlowProgrammer(switches), BucketSource.PORT);

  private List<OFFlowAdd> probes() {
    return switches.get(1).messages().stream()
        .filter(OFFlowAdd.class::isInstance)
        .map(OFFlowAdd.class::cast)
        .toList();
  }

  private boolean refuse(OFFlowAdd rule) {
    return probe.refused(
        FakeSwitches.FACTORY
            .errorMsgs()
            .buildBadMatchErrorMsg()
            .setXid(rule.getXid())
            .setCode(OFBadMatchCode.BAD_MASK)
            .build());
  }

  private static OFErrorMsg tableFull(OFFlowAdd rule) {
    return FakeSwitches.FACTORY
        .errorMsgs()
        .buildFlowModFailedErrorMsg()
        .setXid(rule.getXid())
        .setCode(OFFlowModFailedCode.TABLE_FULL)
        .build();
  }

  @Test
  void acceptedRule_isByPort_andIsRemovedAgain() {
    switches.holdBarriers();
    assertEquals(Result.PENDING, probe.known(SWITCH));
    assertEquals(Result.PENDING, probe.of(SWITCH));
    assertEquals(Result.PENDING, probe.of(SWITCH));
    switches.get(1).answerBarrier();

    assertEquals(Result.PORT, probe.of(SWITCH));
    assertEquals(Optional.of(BucketSource.PORT), probe.known(SWITCH).source());
    assertEquals(1, probes().size());
    assertEquals(List.of(), switches.get(1).table().rules());
  }

  @Test
  void refusedPortMask_asksForAddresses() {
    switches.holdBarriers();
    probe.of(SWITCH);
    assertTrue(refuse(probes().get(0)));
    assertEquals(Result.PENDING, probe.of(SWITCH));
    switches.get(1).answerBarrier();
    assertEquals(Result.PENDING, probe.of(SWITCH));
    switches.get(1).answerBarrier();

    assertEquals(Result.ADDRESS, probe.of(SWITCH));
    assertFalse(refuse(probes().get(0)));
  }

  @Test
  void bothRefused_isNone_untilTheSwitchReconnects() {
    switches.holdBarriers();
    probe.of(SWITCH);
    refuse(probes().get(0));
    refuse(probes().get(1));
    switches.get(1).answerBarrier();
    switches.get(1).answerBarrier();

    assertEquals(Result.NONE, probe.of(SWITCH));
    assertEquals(Optional.empty(), probe.known(SWITCH).source());
    assertEquals(2, probes().size());
    probe.forget(SWITCH);
    assertEquals(Result.PENDING, probe.of(SWITCH));
    assertEquals(3, probes().size());
  }

  /** It has understood the rule. */
  @Test
  void fullTable_isNoRefusal() {
    switches.holdBarriers();
    probe.of(SWITCH);
    assertTrue(probe.refused(tableFull(probes().get(0))));
    switches.get(1).answerBarrier();

    assertEquals(Result.PORT, probe.of(SWITCH));
    assertFalse(probe.refused(tableFull(probes().get(0))));
  }

  @Test
  void switchThatIsAway_isAskedAgain() {
    switches.disconnect(1);
    assertEquals(Result.PENDING, probe.of(SWITCH));
    switches.connect(1);

    probe.of(SWITCH);

    assertEquals(Result.PORT, probe.of(SWITCH));
  }

  @Test
  void switchThatIsLostMeanwhile_isAskedAgain() {
    switches.holdBarriers();
    probe.of(SWITCH);
    switches.get(1).failBarrier();
    assertEquals(Result.PENDING, probe.of(SWITCH));

    assertEquals(2, probes().size());
  }
}
