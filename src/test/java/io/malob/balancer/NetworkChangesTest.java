package io.malob.balancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import io.malob.algorithm.Attachment;
import io.malob.balancer.Housekeeping.Task;
import io.malob.balancer.admission.Relocations;
import io.malob.balancer.bucket.VipNextHops;
import io.malob.balancer.connection.CoreAccess;
import io.malob.balancer.recovery.SwitchRecovery;
import io.malob.balancer.view.BalancerView;
import io.malob.module.Tasks;
import io.malob.openflow.TableLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import net.floodlightcontroller.devicemanager.IDevice;
import org.junit.jupiter.api.Test;
import org.mockito.stubbing.Answer;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** The order of the work that follows when switches change. */
class NetworkChangesTest {
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final SwitchRecovery recovery = mock(SwitchRecovery.class);
  private Supplier<BalancerView> views = () -> mock(BalancerView.class);
  private final Relocations relocations = mock(Relocations.class);
  private final CoreAccess coreAccess = mock(CoreAccess.class);
  private final VipNextHops nextHops = mock(VipNextHops.class);
  private final NetworkChanges changes =
      new NetworkChanges(
          new Housekeeping(waiting::add, new Tasks(() -> 0)),
          () -> views.get(),
          recovery,
          relocations,
          coreAccess,
          nextHops,
          new NetworkChanges.Reactions(
              List.of(new Task("topology", () -> done.add("topology"))),
              List.of(),
              List.of(new Task("host", () -> done.add("host"))),
              switchId -> done.add("removed " + switchId.getLong()),
              address -> false,
              at -> done.add("moved " + at.mac())),
          switchId -> CompletableFuture.completedFuture(TableLayout.FOUR_TABLES));

  NetworkChangesTest() {
    when(recovery.begin(any())).thenReturn(true);
    doAnswer(
            call -> {
              call.<Runnable>getArgument(1).run();
              return null;
            })
        .when(recovery)
        .whenGroupsAreKnown(any(), any());
    doAnswer(noting("prepare")).when(recovery).prepare(any());
    doAnswer(noting("read")).when(recovery).read(any(), any());
  }

  private Answer<Void> noting(String work) {
    return call -> {
      done.add(work + " " + call.<DatapathId>getArgument(0).getLong());
      return null;
    };
  }

  private void activate(long number, boolean isKnown) {
    DatapathId switchId = DatapathId.of(number);
    when(recovery.connected(switchId)).thenReturn(isKnown);
    changes.switchActivated(switchId);
  }

  private void changeHost() {
    IDevice host = mock(IDevice.class);
    when(host.getIPv4Addresses()).thenReturn(new IPv4Address[] {IPv4Address.of("10.0.0.1")});
    when(host.getIPv6Addresses()).thenReturn(new IPv6Address[0]);
    changes.hostChanged(host);
  }

  /** One failure must not leave a change pending for ever: no later one would be the last. */
  @Test
  void hostChange_thatCannotBeLookedUp_isFollowedByItsTasks_andByThoseOfLaterOnes() {
    views =
        () -> {
          throw new IllegalStateException("no view");
        };
    changeHost();
    assertEquals(List.of("host"), doneByNow());
    BalancerView view = mock(BalancerView.class, RETURNS_DEEP_STUBS);
    views = () -> view;
    changeHost();
    changeHost();
    assertEquals(List.of("host", "host"), doneByNow());
  }

  @Test
  void hostMove_isFollowedByItsNextHop_ifItsEdgeIsKnown() {
    Attachment now =
        new Attachment(DatapathId.of(2), OFPort.of(3), MacAddress.of("02:00:00:00:00:01"), 100);
    IDevice host = mock(IDevice.class);
    when(coreAccess.edgeOf(host)).thenReturn(Optional.of(now));

    changes.hostMoved(host);
    doneByNow();
    verify(nextHops).moved(now);
    verify(relocations).hostMoved(now);

    when(coreAccess.edgeOf(host)).thenReturn(Optional.empty());
    changes.hostMoved(host);
    doneByNow();
    verifyNoMoreInteractions(nextHops, relocations);
  }

  private List<String> doneByNow() {
    while (!waiting.isEmpty()) {
      try {
        waiting.remove().run();
      } catch (RuntimeException e) {
        // as an executor does: the next step is run
      }
    }
    return done;
  }

  /** With 1,000 switches, new connections would otherwise wait for seconds. */
  @Test
  void takeOver_usesAllKnownSwitches_beforeTheFirstIsPreparedOrRead() {
    for (int number = 1; number <= 3; number++) {
      activate(number, true);
    }
    assertEquals(
        List.of(
            "topology",
            "prepare 1",
            "read 1",
            "prepare 2",
            "read 2",
            "prepare 3",
            "read 3",
            "topology"),
        doneByNow());
  }

  @Test
  void knownSwitchAmongOthers_isUsedBeforeItIsRead_alsoTheNextTime() {
    activate(1, false);
    activate(2, true);
    assertEquals(
        List.of("prepare 1", "read 1", "topology", "prepare 2", "read 2", "topology"), doneByNow());
    done.clear();
    activate(3, true);
    assertEquals(List.of("topology", "prepare 3", "read 3", "topology"), doneByNow());
  }

  @Test
  void unknownSwitches_areUsedAfterTheyAreRead() {
    activate(1, false);
    activate(2, false);
    assertEquals(List.of("prepare 1", "read 1", "prepare 2", "read 2", "topology"), doneByNow());
  }

  @Test
  void switchThatIsGone_isNeitherPreparedNorRead() {
    activate(1, true);
    when(recovery.begin(any())).thenReturn(false);
    changes.switchRemoved(DatapathId.of(1));
    assertEquals(List.of("topology", "removed 1", "topology"), doneByNow());
  }
}
