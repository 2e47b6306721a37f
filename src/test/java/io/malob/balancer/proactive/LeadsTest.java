package io.malob.balancer.proactive;

import static io.malob.testing.Topologies.path;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.malob.algorithm.Server;
import io.malob.algorithm.graph.Path;
import io.malob.openflow.FakeSwitches;
import io.malob.openflow.RuleSender;
import io.malob.openflow.label.LabelTable;
import io.malob.openflow.label.LabelledPath;
import io.malob.testing.Servers;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

class LeadsTest {
  private static final Server MEMBER = Servers.of(3, 1);
  private static final Path DIRECT = path(1, 3);
  private static final Path AROUND = path(1, 2, 3);

  private final FakeSwitches switches = new FakeSwitches(3);
  private final AtomicLong clock = new AtomicLong();
  private final LabelTable labels = new LabelTable(new RuleSender(switches), clock::get);
  private final Leads<Integer> leads = new Leads<>(labels);

  private void confirm() {
    for (long id = 3; id >= 1; id--) {
      while (switches.get(id).openBarriers() > 0) {
        switches.get(id).answerBarrier();
      }
    }
  }

  /** The paths whose labels are held, after unused ones are gone. */
  private Set<Path> held() {
    clock.addAndGet(TimeUnit.MINUTES.toNanos(2));
    labels.sweep();
    return Set.copyOf(labels.all().stream().map(LabelledPath::path).toList());
  }

  @Test
  void lead_isFound_whenItsLabelIsReady() {
    switches.holdBarriers();
    leads.want(3, MEMBER, AROUND);
    assertEquals(Optional.empty(), leads.find(3));

    confirm();

    Lead lead = leads.find(3).orElseThrow();
    assertEquals(MEMBER, lead.server());
    assertEquals(lead.path().label(), lead.label());
    leads.want(3, MEMBER, AROUND);
    assertEquals(Optional.of(lead), leads.find(3));
    assertEquals(Set.of(AROUND), held());
  }

  @Test
  void lead_withinASwitch_hasNoLabel() {
    leads.want(3, MEMBER, Path.within(DatapathId.of(1)));

    assertNull(leads.find(3).orElseThrow().label());
  }

  @Test
  void anotherPath_isFollowedWhenReady_andTheFormerStaysUntilRulesHaveChanged() {
    leads.want(3, MEMBER, AROUND);
    Lead first = leads.find(3).orElseThrow();
    switches.holdBarriers();
    leads.want(3, MEMBER, DIRECT);
    assertEquals(Optional.of(first), leads.find(3));
    confirm();

    assertNotEquals(Optional.of(first), leads.find(3));
    assertEquals(Set.of(AROUND, DIRECT), held());
    leads.releaseReplaced();
    assertEquals(Set.of(DIRECT), held());
  }

  @Test
  void pathThatIsWantedNoMore_isDropped() {
    leads.want(3, MEMBER, AROUND);
    switches.holdBarriers();
    leads.want(3, MEMBER, DIRECT);
    leads.want(3, MEMBER, AROUND);
    confirm();

    assertEquals(AROUND, leads.find(3).orElseThrow().path().path());
    assertEquals(Set.of(AROUND), held());
  }

  @Test
  void memberOnAnotherPort_hasAnotherLead_overTheSameLabel() {
    leads.want(3, MEMBER, AROUND);
    Lead first = leads.find(3).orElseThrow();
    Server moved =
        new Server(3, MEMBER.address(), 9_090, MEMBER.weight(), MEMBER.at(), MEMBER.load());

    leads.want(3, moved, AROUND);

    Lead second = leads.find(3).orElseThrow();
    assertNotEquals(first, second);
    assertEquals(first.label(), second.label());
    leads.releaseReplaced();
    assertEquals(Set.of(AROUND), held());
  }

  /** A label that no switch has installed never becomes ready. */
  @Test
  void failedPath_isTriedAgain() {
    switches.get(2).refuse();
    leads.want(3, MEMBER, AROUND);
    assertEquals(Optional.empty(), leads.find(3));
    switches.connect(2);

    leads.want(3, MEMBER, AROUND);

    assertTrue(leads.find(3).isPresent());
  }

  @Test
  void retain_releasesTheOthers() {
    leads.want(3, MEMBER, AROUND);
    leads.want(4, MEMBER, DIRECT);
    leads.retain(Set.of(4));
    assertFalse(leads.find(3).isPresent());
    assertEquals(Set.of(AROUND, DIRECT), held());

    leads.releaseReplaced();

    assertEquals(Set.of(DIRECT), held());
  }
}
