package io.malob.controller.channel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFHello;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.U32;

/**
 * The OpenFlow version of one connection: 1.3 until both ends have agreed on another. On the
 * channel's thread only.
 *
 * <p>The rule of OpenFlow is that the highest version wins that both ends have offered. So that 1.3
 * wins wherever a switch offers it, the switch speaks first, and is offered the chosen version
 * alone.
 */
final class ProtocolVersion {
  private static final List<OFVersion> BY_PREFERENCE =
      List.of(OFVersion.OF_13, OFVersion.OF_14, OFVersion.OF_15);

  private OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
  private boolean agreed;
  private List<OFVersion> offered = List.of();

  /** Makes the messages of this connection. */
  OFFactory factory() {
    return factory;
  }

  /** Whether messages of this version, as on the wire, are understood. */
  boolean understands(int wireVersion) {
    return agreed
        ? wireVersion == factory.getVersion().getWireVersion()
        : BY_PREFERENCE.stream().anyMatch(each -> each.getWireVersion() == wireVersion);
  }

  /** Whether the peer has been offered anything. */
  boolean hasOffered() {
    return !offered.isEmpty();
  }

  /** The HELLO to a peer that has not said anything, or nothing of use: all versions. */
  OFHello offerAll() {
    return offer(BY_PREFERENCE);
  }

  /** The HELLO that offers the version that has been agreed on. */
  OFHello offerAgreed() {
    return offer(List.of(factory.getVersion()));
  }

  private OFHello offer(List<OFVersion> versions) {
    offered = versions;
    int bitmap = versions.stream().mapToInt(each -> 1 << each.getWireVersion()).sum();
    OFFactory highest = OFFactories.getFactory(versions.get(versions.size() - 1));
    return highest.hello(List.of(highest.helloElemVersionbitmap(List.of(U32.of(bitmap)))));
  }

  /**
   * Chooses the version that the peer's HELLO and what it was offered lead to; false if there is
   * none.
   */
  boolean agree(HelloFrame peer) {
    List<OFVersion> candidates =
        new ArrayList<>(
            BY_PREFERENCE.stream().filter(each -> peer.allows(each.getWireVersion())).toList());
    // the peer has chosen already, by the rule of OpenFlow, where it knew all that it can have
    Optional<OFVersion> chosen =
        hasOffered()
            ? candidates.stream().reduce((lower, higher) -> higher)
            : candidates.stream().findFirst();
    chosen.ifPresent(
        version -> {
          factory = OFFactories.getFactory(version);
          agreed = true;
        });
    return chosen.isPresent();
  }
}
