package io.malob.openflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class LabelGroupsTest {
  private static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  private static final OFMessage RULE = OF.buildFlowAdd().build();
  private static final DatapathId S1 = DatapathId.of(1);
  private static final OFPort OLD = OFPort.of(1);
  private static final OFPort NEW = OFPort.of(2);

  private final LabelGroups groups = new LabelGroups();

  private void lead(int label, OFPort port) {
    assertEquals(false, groups.lead(OF, S1, label, port, RULE).isEmpty());
  }

  @Test
  void groupsThatASwitchHasLost_areForgotten_andThoseItHasAreKnown() {
    lead(7, OLD);
    groups.ask(S1);
    groups.read(S1, Map.of(8, OLD));
    assertNull(groups.port(S1, 7));
    assertEquals(OLD, groups.port(S1, 8));
  }

  @Test
  void groupsChangedBetweenQuestionAndAnswer_stayAsTheyAre() {
    lead(7, OLD);
    lead(8, OLD);
    groups.ask(S1);
    lead(7, NEW);
    groups.remove(OF, S1, 8);
    lead(9, NEW);
    groups.read(S1, Map.of(7, OLD, 8, OLD));
    assertEquals(NEW, groups.port(S1, 7));
    assertNull(groups.port(S1, 8));
    assertEquals(NEW, groups.port(S1, 9));
  }

  @Test
  void groupThatWasRead_getsTheRuleOfItsLabel() {
    groups.ask(S1);
    groups.read(S1, Map.of(7, OLD));
    assertEquals(2, groups.lead(OF, S1, 7, NEW, RULE).size());
    assertEquals(1, groups.lead(OF, S1, 7, OLD, RULE).size());
  }
}
