package io.malob.controller.channel;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFHello;
import org.projectfloodlight.openflow.protocol.OFHelloFailedCode;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.OFErrorCauseData;
import org.projectfloodlight.openflow.types.U32;

/**
 * The OpenFlow version of one connection: 1.3 until both ends have agreed on another. On the
 * channel's thread only.
 *
 * <p>By the rule of OpenFlow, the highest version that both ends have offered wins. So that 1.3
 * wins if a switch offers it, the switch speaks first, and the controller offers only the chosen
 * version.
 */
final class ProtocolVersion {
  private static final List<OFVersion> BY_PREFERENCE =
      List.of(OFVersion.OF_13, OFVersion.OF_14, OFVersion.OF_15);

  private OFFactory factory = OFFactories.getFactory(OFVersion.OF_13);
  private boolean agreed;
  private List<OFVersion> offered = List.of();

  /** The factory for messages of this connection. */
  OFFactory factory() {
    return factory;
  }

  /** Whether messages of this version, as on the wire, are understood. */
  boolean understands(int wireVersion) {
    return agreed
        ? wireVersion == factory.getVersion().getWireVersion()
        : BY_PREFERENCE.stream().anyMatch(each -> each.getWireVersion() == wireVersion);
  }

  /** Whether the controller has sent a HELLO. */
  boolean hasOffered() {
    return !offered.isEmpty();
  }

  /** The HELLO to a peer that has not sent a usable HELLO: all versions. */
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
   * Chooses the version from the peer's HELLO and the controller's offer; false if there is none.
   */
  boolean agree(HelloFrame peer) {
    List<OFVersion> candidates =
        BY_PREFERENCE.stream().filter(each -> peer.allows(each.getWireVersion())).toList();
    if (candidates.isEmpty()) {
      return false;
    }
    // a peer that knew the offer has already chosen, by the rule of OpenFlow
    factory = OFFactories.getFactory(candidates.get(hasOffered() ? candidates.size() - 1 : 0));
    agreed = true;
    return true;
  }

  /** The error to a switch that speaks no common version. */
  OFMessage failure() {
    byte[] reason = "OpenFlow 1.3, 1.4 or 1.5 only".getBytes(StandardCharsets.US_ASCII);
    return factory
        .errorMsgs()
        .buildHelloFailedErrorMsg()
        .setCode(OFHelloFailedCode.INCOMPATIBLE)
        .setData(OFErrorCauseData.of(reason, factory.getVersion()))
        .build();
  }
}
