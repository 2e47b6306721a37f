package io.malob.capability;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.malob.capability.FeatureProbes.Answer;
import io.malob.capability.SwitchCapability.Source;
import io.malob.module.IPeerService;
import io.malob.module.PeerTopic;
import io.malob.openflow.TableLayout;
import io.malob.testing.Stub;
import io.malob.testing.WireBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;

/** What one controller tells another, over a stream that a test can stop. */
class PeerCapabilitiesTest {
  private static final DatapathId S1 = DatapathId.of(1);
  private static final DatapathId S2 = DatapathId.of(2);
  private static final KnownCapability LIMITED =
      new KnownCapability(
          new SwitchIdentity(254, "maker", "hardware", "1.0 \u00fc"),
          SwitchCapability.probed(
              Sets.immutableEnumSet(SwitchFeature.TABLE_1, SwitchFeature.GROUPS)));
  private static final KnownCapability FORCED =
      new KnownCapability(
          new SwitchIdentity(1, "", "", ""),
          new SwitchCapability(TableLayout.LABELS_ONLY, Source.FORCED, ImmutableSet.of()));

  private final Map<DatapathId, KnownCapability> own = new TreeMap<>();
  private final Map<DatapathId, KnownCapability> told = new HashMap<>();
  private final Set<String> full = new HashSet<>();
  private final List<byte[]> messages = new ArrayList<>();

  private final PeerCapabilities receiver =
      new PeerCapabilities(Stub.of(IPeerService.class).make(), Map::of, told::put, Runnable::run);
  private final PeerCapabilities sender =
      new PeerCapabilities(
          Stub.of(IPeerService.class).on("send", with -> send(with)).make(),
          () -> own,
          (id, capability) -> {},
          Runnable::run);

  private boolean send(Object[] with) {
    assertEquals(PeerTopic.CAPABILITIES, with[1]);
    if (full.contains((String) with[0])) {
      return false;
    }
    messages.add((byte[]) with[2]);
    receiver.received("a", ByteBuffer.wrap((byte[]) with[2]));
    return true;
  }

  @Test
  void peerThatIsReached_getsAll() {
    own.put(S1, LIMITED);
    own.put(S2, FORCED);
    sender.reached("b");
    assertEquals(own, told);
  }

  @Test
  void peer_getsWhatIsNew() {
    sender.reached("b");
    own.put(S1, LIMITED);
    sender.changed(S1, LIMITED);
    sender.publish();
    assertEquals(Map.of(S1, LIMITED), told);
    int sent = messages.size();
    sender.publish();
    assertEquals(sent, messages.size());
  }

  @Test
  void peerThatTakesNoMessage_getsAllLater() {
    sender.reached("b");
    full.add("b");
    own.put(S1, LIMITED);
    sender.changed(S1, LIMITED);
    sender.publish();
    sender.publish();
    assertEquals(Map.of(), told);
    full.clear();
    sender.publish();
    assertEquals(Map.of(S1, LIMITED), told);
  }

  @Test
  void lostPeer_getsNothing() {
    sender.reached("b");
    sender.lost("b");
    messages.clear();
    sender.changed(S1, LIMITED);
    sender.publish();
    assertEquals(0, messages.size());
  }

  @Test
  void manySwitches_areTwoMessages() {
    for (int id = 1; id <= 1_500; id++) {
      own.put(DatapathId.of(id), LIMITED);
    }
    sender.reached("b");
    assertEquals(2, messages.size());
    assertEquals(own, told);
  }

  @Test
  void answersAboutTracking_areBehindTheRest_ifThereIsAny() {
    own.put(S1, FORCED);
    own.put(S2, LIMITED);
    sender.reached("b");
    byte[] without = messages.get(0);
    for (Answer answer : new Answer[] {Answer.ACCEPTED, Answer.REFUSED}) {
      KnownCapability known =
          new KnownCapability(LIMITED.identity(), LIMITED.capability().withTracking(answer));
      own.put(S2, known);
      messages.clear();
      sender.lost("b");
      sender.reached("b");
      assertEquals(own, told);
      byte[] with = messages.get(0);
      assertArrayEquals(without, Arrays.copyOf(with, without.length));
      told.clear();
      for (int length = without.length + 1; length < with.length; length++) {
        ByteBuffer truncated = ByteBuffer.wrap(Arrays.copyOf(with, length));
        assertThrows(
            IllegalArgumentException.class, () -> receiver.received("a", truncated), "" + length);
      }
      assertEquals(Map.of(), told);
    }
  }

  @Test
  void damagedMessage_hasNoEffect() {
    own.put(S1, LIMITED);
    own.put(S2, LIMITED);
    sender.reached("b");
    byte[] message = messages.get(0);
    told.clear();
    for (int length = 0; length < message.length; length++) {
      ByteBuffer truncated = ByteBuffer.wrap(Arrays.copyOf(message, length));
      assertThrows(
          IllegalArgumentException.class, () -> receiver.received("a", truncated), "" + length);
    }
    assertEquals(Map.of(), told);
  }

  @Test
  void bytes_areThoseOfTheLastRelease() {
    own.put(S1, LIMITED);
    own.put(S2, FORCED);
    sender.reached("b");
    WireBytes.check("capabilities", messages.get(0));
  }
}
