package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.malob.openflow.TableLayout;
import io.malob.testing.EachSwitchProfile;
import io.malob.testing.FakeNetwork;
import io.malob.testing.SwitchProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** Tests whose networks have switches of one profile, which refuse nothing. */
@EachSwitchProfile
abstract class OnEachProfile {
  final SwitchProfile profile;
  private final List<FakeNetwork> networks = new ArrayList<>();

  OnEachProfile(SwitchProfile profile) {
    this.profile = profile;
  }

  BalancerNetwork network() {
    return network(Map.of());
  }

  BalancerNetwork network(Map<String, String> settings) {
    BalancerNetwork made = new BalancerNetwork(profile, settings);
    networks.add(made.network);
    return made;
  }

  ControllerPair pair(Map<String, String> settings, boolean isSpread) {
    ControllerPair made = new ControllerPair(settings, isSpread);
    made.network.setProfile(profile);
    networks.add(made.network);
    return made;
  }

  /**
   * Skips tests of connections that a client's FIN or RST ends. A switch with one table tells of
   * none, because it cannot send a packet to the controller and still treat it by the connection's
   * rule.
   */
  void assumeEndsAreTold() {
    assumeTrue(profile.layout() == TableLayout.FOUR_TABLES);
  }

  @AfterEach
  void assertNothingRefused() {
    networks.forEach(each -> assertEquals(List.of(), each.refusals()));
  }
}
