package io.malob.endhost;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.malob.openflow.packet.NeighbourMessage;
import io.malob.openflow.packet.NeighbourReplies;
import io.malob.openflow.packet.Packet;
import io.malob.openflow.packet.Replies;
import io.malob.testing.EventQueue;
import io.malob.testing.Stub;
import io.malob.testing.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import net.floodlightcontroller.core.IOFSwitch;
import net.floodlightcontroller.core.internal.IOFSwitchService;
import org.jspecify.annotations.Nullable;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFPacketOut;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.protocol.action.OFActionOutput;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.IPv4Address;
import org.projectfloodlight.openflow.types.IPv6Address;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;
import org.projectfloodlight.openflow.types.U64;

/** A host with two uplinks, each to a router behind a link of known rate, in simulated time. */
@SuppressWarnings("FutureReturnValueIgnored") // they are handed on by stubs
final class UplinkLab {
  static final long MILLI = 1_000_000;
  static final OFFactory OF = OFFactories.getFactory(OFVersion.OF_13);
  private static final DatapathId SWITCH = DatapathId.of(7);
  static final IPv6Address ROUTER6 = IPv6Address.of("fe80::1");
  private static final String INSIDE = "malob-sw";

  final EventQueue time = new EventQueue(new AtomicLong(1_000_000_007));
  final List<Router> routers = List.of(new Router(1), new Router(2));
  final List<HostView> views = new ArrayList<>();
  final MeasuredUplinks uplinks;
  boolean isConnected = true;
  private final Random random = new Random(1);

  /** One router and the link to it. */
  final class Router {
    final int number;
    MacAddress mac;
    double bps = 10e6;
    boolean answersArp = true;
    boolean answersEchoes = true;
    boolean answersSolicitations = true;
    boolean hasIpv4 = true;
    boolean hasIpv6;
    boolean isUp = true;

    /** Other traffic towards the host, in bit/s. */
    double otherBps;

    int arps;
    int echoes;
    int solicitations;
    long probedBytes;
    private double received;
    private double sent;
    private long countedNanos = time.now();

    Router(int number) {
      this.number = number;
      mac = MacAddress.of(0x0200_0000_0100L + number);
    }

    IPv4Address address() {
      return IPv4Address.of("10.0." + number + ".1");
    }

    Uplink uplink() {
      return new Uplink(
          "eth" + number,
          "eth" + number,
          MacAddress.of(0x0200_0000_0000L + number),
          0,
          Optional.of(IPv4Address.of("10.0." + number + ".2")).filter(any -> hasIpv4),
          Optional.of(address()).filter(any -> hasIpv4),
          Optional.of(IPv6Address.of("2001:db8:" + number + "::2")).filter(any -> hasIpv6),
          Optional.of(ROUTER6).filter(any -> hasIpv6));
    }

    private void take(byte[] frame) {
      Packet packet = Packet.parse(frame);
      Optional<NeighbourMessage> asked =
          Optional.of(packet).filter(Packet::isIpv6).flatMap(NeighbourMessage::of);
      if (asked.isPresent()) {
        solicitations++;
        if (answersSolicitations && asked.get().target().equals(ROUTER6)) {
          byte[] answer = NeighbourReplies.advertisement(asked.get(), mac);
          time.after(MILLI, () -> arrive(answer));
        }
        return;
      }
      boolean isArp = packet.kind() == Packet.Kind.ARP;
      arps += isArp ? 1 : 0;
      echoes += isArp ? 0 : 1;
      probedBytes += frame.length;
      sent += frame.length;
      if (packet.dstAddress() == address().getInt() && (isArp ? answersArp : answersEchoes)) {
        long onWire = bps > 0 ? (long) (2 * (frame.length - 14) * 8e9 / bps) : Long.MAX_VALUE / 4;
        long noise = 50_000 + (long) (100_000 * random.nextDouble() * random.nextDouble());
        byte[] answer = isArp ? Replies.arpReply(packet, mac) : echoReply(frame);
        time.after(onWire + noise, () -> arrive(answer));
      }
    }

    /** Comes in at its uplink's port; whether it was an answer to what is measured. */
    boolean arrive(byte[] frame) {
      received += frame.length;
      Packet packet = Packet.parse(frame);
      return RouterAnswer.of(packet)
          .filter(answer -> uplinks.take(OFPort.of(number), answer, time.now()))
          .isPresent();
    }

    OFPortStatsEntry counters() {
      received += otherBps / 8 * (time.now() - countedNanos) / 1e9;
      countedNanos = time.now();
      return OF.buildPortStatsEntry()
          .setPortNo(OFPort.of(number))
          .setRxBytes(U64.of((long) received))
          .setTxBytes(U64.of((long) sent))
          .build();
    }
  }

  UplinkLab() {
    uplinks =
        new MeasuredUplinks(
            Stub.of(IOFSwitchService.class)
                .on("getActiveSwitch", with -> isConnected ? sw() : null)
                .make(),
            Runnable::run,
            time::now,
            random::nextDouble);
    uplinks.addListener(views::add);
    tick();
  }

  private void tick() {
    uplinks.tick();
    time.after(uplinks.pauseMillis() * MILLI, this::tick);
  }

  /** Both uplinks as the routers have them. */
  HostNetwork network() {
    return network(routers.stream().map(Router::uplink).toList());
  }

  static HostNetwork network(List<Uplink> uplinks) {
    Inside inside =
        new Inside(
            INSIDE,
            MacAddress.of(0x0200_0000_0999L),
            MacAddress.of(0x0a4d_4c00_0001L),
            IPv4Address.of("198.18.255.2"),
            IPv4Address.of("198.18.255.1"),
            Optional.empty(),
            Optional.empty());
    return new HostNetwork(
        SWITCH, inside, "WRR", Optional.empty(), ImmutableSet.of(), ImmutableList.copyOf(uplinks));
  }

  void pass(long millis) {
    time.pass(millis * MILLI, () -> {});
  }

  /** The latest view of one uplink, by the number of its router. */
  UplinkView view(int number) {
    return uplinks.view().orElseThrow().uplinks().get(number - 1);
  }

  private IOFSwitch sw() {
    return Stub.of(IOFSwitch.class)
        .on("getOFFactory", with -> OF)
        .on("getPort", with -> port((String) with[0]))
        .on("portEnabled", with -> router((String) with[0]).isUp)
        .on("write", with -> write((OFMessage) with[0]))
        .on("writeStatsRequest", with -> counters())
        .make();
  }

  private Router router(String port) {
    return routers.get(port.charAt(3) - '1');
  }

  private static @Nullable Object port(String name) {
    int number = name.equals(INSIDE) ? 9 : name.charAt(3) - '0';
    return OF.buildPortDesc().setPortNo(OFPort.of(number)).setName(name).build();
  }

  private boolean write(OFMessage message) {
    OFPacketOut out = (OFPacketOut) Wire.readBack(message);
    OFPort port = ((OFActionOutput) out.getActions().get(0)).getPort();
    routers.get(port.getPortNumber() - 1).take(out.getData());
    return true;
  }

  private ListenableFuture<List<OFPortStatsReply>> counters() {
    if (!isConnected) {
      return Futures.immediateFailedFuture(new IllegalStateException("gone"));
    }
    SettableFuture<List<OFPortStatsReply>> answer = SettableFuture.create();
    time.after(
        MILLI,
        () ->
            answer.set(
                List.of(
                    OF.buildPortStatsReply()
                        .setEntries(routers.stream().map(Router::counters).toList())
                        .build())));
    return answer;
  }

  /** The same packet back, as a reply; nobody here looks at its checksum. */
  private static byte[] echoReply(byte[] request) {
    ByteBuffer reply = ByteBuffer.wrap(request.clone());
    reply.put(0, request, 6, 6).put(6, request, 0, 6).put(14 + 12, request, 14 + 16, 4);
    return reply.put(14 + 16, request, 14 + 12, 4).put(14 + 20, (byte) 0).array();
  }
}
