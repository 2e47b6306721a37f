package io.malob.controller.network;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.malob.controller.guard.Refusal;
import io.malob.controller.network.links.ProbeFrames;
import io.malob.controller.network.links.ProbeKind;
import net.floodlightcontroller.core.types.NodePortTuple;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/**
 * Hosts that make up links: what comes in at a host's port is never taken for a link, unless it is
 * a probe of now.
 *
 * <pre>
 *   attacker 1:S1:2 --- 2:S2:1 accomplice
 * </pre>
 */
class ForgedLinkTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);
  private static final NodePortTuple ATTACKER = new NodePortTuple(S1, OFPort.of(1));
  private static final NodePortTuple ACCOMPLICE = new NodePortTuple(S2, OFPort.of(1));
  private static final MacAddress MAC = MacAddress.of("02:00:00:00:00:66");

  private EmulatedNetwork network;

  @BeforeEach
  void connect() throws Exception {
    network = new EmulatedNetwork();
    network.switches.connect(S1, 2, S2, 2);
    network.add(S1, OFPort.of(1), OFPort.of(2));
    network.add(S2, OFPort.of(1), OFPort.of(2));
    network.pass(2_000);
    assertEquals(2, network.links.getLinks().size());
  }

  private void inject(NodePortTuple at, byte[] frame) {
    network.switches.inject(at.getNodeId(), at.getPortId().getPortNumber(), frame);
  }

  private void assertRefused(Refusal refusal) {
    assertEquals(1, network.refusals.of(refusal));
    assertEquals(2, network.links.getLinks().size());
  }

  @Test
  void probeSignedWithAnotherKey_isRefusedAsForged() {
    ProbeFrames forger = ProbeFrames.withRandomKey();
    inject(ATTACKER, forger.frame(ProbeKind.LLDP, ACCOMPLICE, MAC, 5_002_000));
    assertRefused(Refusal.PROBE_FORGED);
  }

  @Test
  void probeOfAnotherPort_changedToNameThisOne_isRefusedAsForged() {
    byte[] frame = network.probe(ACCOMPLICE).clone();
    frame[51] ^= 2; // the last byte of the port
    inject(ATTACKER, frame);
    assertRefused(Refusal.PROBE_FORGED);
  }

  @Test
  void lldpOfAnotherSystem_isRefusedAsForeign() {
    byte[] frame = network.probe(ACCOMPLICE).clone();
    frame[36] ^= 1; // its organisation
    inject(ATTACKER, frame);
    assertRefused(Refusal.PROBE_FOREIGN);
  }

  @Test
  void probePlayedBackAfterItsTime_isRefusedAsLate() {
    byte[] frame = network.probe(ACCOMPLICE);
    network.pass(9_100);
    inject(ATTACKER, frame);
    assertRefused(Refusal.PROBE_LATE);
  }

  @Test
  void probeThatItsHostSendsBack_isRefusedAsReflected() {
    inject(ATTACKER, network.probe(ATTACKER));
    assertRefused(Refusal.PROBE_REFLECTED);
  }

  /** What signatures cannot tell from a cable: two hosts that pass probes on at once. */
  @Test
  void probeThatAnAccompliceRelaysInTime_counts() {
    byte[] frame = network.probe(ACCOMPLICE);
    network.pass(8_600);
    inject(ATTACKER, frame);
    assertEquals(0, network.refusals.of(Refusal.PROBE_LATE));
    assertEquals(3, network.links.getLinks().size());
  }
}
