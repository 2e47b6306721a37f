package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.balancer.proactive.SourceProbe.Result;
import io.malob.capability.FeatureProbes;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.IpFamily;
import io.malob.openflow.RuleSender;
import io.malob.openflow.bucket.BucketSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFBadMatchCode;
import org.projectfloodlight.openflow.protocol.OFErrorMsg;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFFlowModFailedCode;
import org.projectfloodlight.openflow.protocol.match.MatchField;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.EthType;

class SourceProbeTest {
  private static final DatapathId SWITCH = DatapathId.of(1);

  private final FakeSwitches switches = new FakeSwitches(1);
  private final FeatureProbes features = new FeatureProbes();
  private final SourceProbe probe =
      new SourceProbe(features, new RuleSender(switches), BucketSource.PORT);

  private List<OFFlowAdd> probes() {
    return switches.get(1).messages().stream()
        .filter(OFFlowAdd.class::isInstance)
        .map(OFFlowAdd.class::cast)
        .toList();
  }

  private boolean refuse(OFFlowAdd rule) {
    return features.refused(
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
    assertEquals(Result.PENDING, probe.known(SWITCH, IpFamily.IPV4));
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    switches.get(1).answerBarrier();

    assertEquals(Result.PORT, probe.of(SWITCH, IpFamily.IPV4));
    assertEquals(Optional.of(BucketSource.PORT), probe.known(SWITCH, IpFamily.IPV4).source());
    assertEquals(1, probes().size());
    assertEquals(List.of(), switches.get(1).table().rules());
  }

  @Test
  void refusedPortMask_asksForAddresses() {
    switches.holdBarriers();
    probe.of(SWITCH, IpFamily.IPV4);
    assertTrue(refuse(probes().get(0)));
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    switches.get(1).answerBarrier();
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    switches.get(1).answerBarrier();

    assertEquals(Result.ADDRESS, probe.of(SWITCH, IpFamily.IPV4));
    assertFalse(refuse(probes().get(0)));
  }

  @Test
  void bothRefused_isNone_untilTheSwitchReconnects() {
    switches.holdBarriers();
    probe.of(SWITCH, IpFamily.IPV4);
    refuse(probes().get(0));
    refuse(probes().get(1));
    switches.get(1).answerBarrier();
    switches.get(1).answerBarrier();

    assertEquals(Result.NONE, probe.of(SWITCH, IpFamily.IPV4));
    assertEquals(Optional.empty(), probe.known(SWITCH, IpFamily.IPV4).source());
    assertEquals(2, probes().size());
    features.forget(SWITCH);
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    assertEquals(3, probes().size());
  }

  @Test
  void eachFamily_isAskedForByItself() {
    switches.holdBarriers();
    probe.of(SWITCH, IpFamily.IPV4);
    probe.of(SWITCH, IpFamily.IPV6);
    assertEquals(
        List.of(EthType.IPv4, EthType.IPv6),
        probes().stream().map(rule -> rule.getMatch().get(MatchField.ETH_TYPE)).toList());
    refuse(probes().get(1));
    refuse(probes().get(2));
    IntStream.range(0, 3).forEach(any -> switches.get(1).answerBarrier());

    assertEquals(Result.PORT, probe.of(SWITCH, IpFamily.IPV4));
    assertEquals(Result.NONE, probe.of(SWITCH, IpFamily.IPV6));
    features.forget(SWITCH);
    assertEquals(Result.PENDING, probe.known(SWITCH, IpFamily.IPV4));
    assertEquals(Result.PENDING, probe.known(SWITCH, IpFamily.IPV6));
  }

  /** It has understood the rule. */
  @Test
  void fullTable_isNoRefusal() {
    switches.holdBarriers();
    probe.of(SWITCH, IpFamily.IPV4);
    assertTrue(features.refused(tableFull(probes().get(0))));
    switches.get(1).answerBarrier();

    assertEquals(Result.PORT, probe.of(SWITCH, IpFamily.IPV4));
    assertFalse(features.refused(tableFull(probes().get(0))));
  }

  @Test
  void switchThatIsAway_isAskedAgain() {
    switches.disconnect(1);
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));
    switches.connect(1);

    probe.of(SWITCH, IpFamily.IPV4);

    assertEquals(Result.PORT, probe.of(SWITCH, IpFamily.IPV4));
  }

  @Test
  void switchThatIsLostMeanwhile_isAskedAgain() {
    switches.holdBarriers();
    probe.of(SWITCH, IpFamily.IPV4);
    switches.get(1).failBarrier();
    assertEquals(Result.PENDING, probe.of(SWITCH, IpFamily.IPV4));

    assertEquals(2, probes().size());
  }
}
