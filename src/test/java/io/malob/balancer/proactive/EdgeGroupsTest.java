package io.malob.balancer.proactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class EdgeGroupsTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);
  private static final DatapathId S3 = DatapathId.of(3);
  private static final DatapathId S4 = DatapathId.of(4);

  private final EdgeGroups groups = new EdgeGroups();

  @Test
  void oneSwitch_isNoGroup() {
    assertFalse(groups.join(List.of(Set.of(), Set.of(S1))));

    assertEquals(Set.of(), groups.of(S1));
    assertTrue(groups.all().isEmpty());
  }

  @Test
  void setsWithACommonSwitch_areOneGroup() {
    assertTrue(groups.join(List.of(Set.of(S1, S2), Set.of(S3, S4))));
    assertEquals(Set.of(S1, S2), groups.of(S1));

    assertTrue(groups.join(List.of(Set.of(S2, S3))));

    assertEquals(Set.of(S1, S2, S3, S4), groups.of(S1));
    assertEquals(Set.of(S1, S2, S3, S4), groups.of(S4));
    assertEquals(Set.of(S1, S2, S3, S4), groups.all().keySet());
  }

  @Test
  void groupsStay() {
    groups.join(List.of(Set.of(S1, S2)));

    assertFalse(groups.join(List.of(Set.of(S1, S2), Set.of(S1))));
    assertFalse(groups.join(List.of()));

    assertEquals(Set.of(S1, S2), groups.of(S2));
  }
}
