package io.malob.openflow.label;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.collect.ImmutableList;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFFlowAdd;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class LabelRulesTest {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);

  /** A path over switches of these ids; a link from a to b leaves a by port b. */
  private static Path path(int... ids) {
    ImmutableList.Builder<DirectedLink> links = ImmutableList.builder();
    for (int i = 0; i + 1 < ids.length; i++) {
      links.add(
          new DirectedLink(
              DatapathId.of(ids[i]),
              OFPort.of(ids[i + 1]),
              DatapathId.of(ids[i + 1]),
              OFPort.of(ids[i])));
    }
    return new Path(DatapathId.of(ids[0]), links.build());
  }

  private static List<String> reroute(Path before, Path after) {
    List<DatapathId> strays = new ArrayList<>(before.switches());
    strays.removeAll(after.switches());
    return LabelRules.reroute(
            new Label(1), Optional.of(before), after, strays, switchId -> Optional.of(FACTORY))
        .stream()
        .map(
            batch ->
                batch.messages().get(0).getType()
                    + " "
                    + batch.switchId().getLong()
                    + " "
                    + (batch.messages().get(0).toString().contains("Delete") ? "delete" : "add"))
        .toList();
  }

  @Test
  void reroute_changesNewSwitchesFirst_theBranchingOneLast_andThenClearsTheOldWay() {
    //        2
    //      /   \
    //  1 -       - 5 - 6
    //      \   /
    //       3-4
    assertEquals(
        List.of("FLOW_MOD 4 add", "FLOW_MOD 3 add", "FLOW_MOD 1 add", "FLOW_MOD 2 delete"),
        reroute(path(1, 2, 5, 6), path(1, 3, 4, 5, 6)));
  }

  @Test
  void reroute_leavesSwitchesBeforeTheBranchAlone() {
    assertEquals(
        List.of("FLOW_MOD 4 add", "FLOW_MOD 2 add", "FLOW_MOD 3 delete"),
        reroute(path(1, 2, 3, 5), path(1, 2, 4, 5)));
  }

  private static OFPort output(Path path, DatapathId switchId) {
    OFFlowAdd rule = (OFFlowAdd) LabelRules.add(FACTORY, new Label(1), path, switchId);
    return ((OFActionOutput) rule.getActions().get(0)).getPort();
  }

  @Test
  void switchThatThePathLeavesByThePortOfItsArrival_sendsBackByInPort() {
    OFPort shared = OFPort.of(9);
    DatapathId second = DatapathId.of(2);
    Path path =
        new Path(
            DatapathId.of(1),
            ImmutableList.of(
                new DirectedLink(DatapathId.of(1), shared, second, shared),
                new DirectedLink(second, shared, DatapathId.of(3), shared)));
    assertEquals(OFPort.IN_PORT, output(path, second));
    assertEquals(shared, output(path, path.src()));
  }

  @Test
  void reroute_ofTheSamePath_isNothing() {
    assertEquals(List.of(), reroute(path(1, 2, 3), path(1, 2, 3)));
  }
}
