package io.malob.openflow.subflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSetMultimap;
import io.malob.algorithm.graph.DirectedLink;
import io.malob.algorithm.graph.Path;
import io.malob.algorithm.subflow.FlowIdentity;
import io.malob.algorithm.subflow.Route;
import io.malob.openflow.label.Label;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class FanTest {
  private static final OFPort SHARED = OFPort.of(9);

  private static DirectedLink overSegment(int from, int to) {
    return new DirectedLink(DatapathId.of(from), SHARED, DatapathId.of(to), SHARED);
  }

  @Test
  void switchThatARouteLeavesByThePortOfItsArrival_sendsBackByInPort() {
    Path path = new Path(DatapathId.of(1), ImmutableList.of(overSegment(1, 2), overSegment(2, 3)));
    Label label = new Label(5);
    Route route =
        new Route(
            new FlowIdentity(overSegment(1, 2), 0),
            Route.Kind.HAMILTONIAN,
            ImmutableList.of(path),
            "");
    ImmutableSetMultimap<DatapathId, SubflowRule> rules =
        Fan.rules(
            List.of(new Fan.LabelledRoute(route, ImmutableList.of(label))), List.of(), List.of());
    assertTrue(
        rules.containsEntry(DatapathId.of(1), new SubflowRule.Carry(label, Optional.of(SHARED))));
    assertTrue(
        rules.containsEntry(
            DatapathId.of(2), new SubflowRule.Carry(label, Optional.of(OFPort.IN_PORT))));
    assertTrue(
        rules.containsEntry(DatapathId.of(3), new SubflowRule.Carry(label, Optional.empty())));
  }
}
