package io.malob.bench.micro;

import io.malob.algorithm.Attachment;
import io.malob.algorithm.FiveTuple;
import io.malob.openflow.ConnectionRules;
import io.malob.openflow.ConnectionRules.Translation;
import io.malob.openflow.Cookie;
import io.malob.openflow.CookieKind;
import io.malob.openflow.label.Label;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.projectfloodlight.openflow.protocol.OFFactories;
import org.projectfloodlight.openflow.protocol.OFFactory;
import org.projectfloodlight.openflow.protocol.OFVersion;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.MacAddress;
import org.projectfloodlight.openflow.types.OFPort;

/** Making and writing the three messages of a placement. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@State(Scope.Benchmark)
public class MessageBenchmark {
  private static final OFFactory FACTORY = OFFactories.getFactory(OFVersion.OF_13);
  private static final int TCP = 6;
  private static final int MEMBER = 0xac10_0001;
  private static final int MEMBER_PORT = 8080;

  private final ByteBuf out = Unpooled.directBuffer(1024);
  private byte[] frame;
  private Attachment client;
  private Attachment member;
  private FiveTuple request;
  private FiveTuple atMember;
  private int generation;

  /** Makes the connection. */
  @Setup
  public void setUp() {
    frame = Frames.syn();
    client = attachment(1);
    member = attachment(2);
    request = FiveTuple.of(TCP, Frames.CLIENT, Frames.CLIENT_PORT, Frames.VIP, Frames.VIP_PORT);
    atMember = FiveTuple.of(TCP, Frames.CLIENT, Frames.CLIENT_PORT, MEMBER, MEMBER_PORT);
  }

  private static Attachment attachment(int number) {
    return new Attachment(
        DatapathId.of(number), OFPort.of(1), MacAddress.of(0x0200_0000_0000L + number));
  }

  /** Request rule, reply rule and the first packet, with labels, as bytes. */
  @Benchmark
  public int requestReplyDeliver() {
    generation++;
    Translation there = new Translation(request, atMember, 0, new Label(1), member, member.port());
    Translation back =
        new Translation(
            atMember.reversed(),
            request.reversed(),
            0,
            client.mac(),
            new Label(2),
            0,
            client,
            client.port());
    out.clear();
    ConnectionRules.add(FACTORY, back, Cookie.of(CookieKind.REPLY, 1, 1, generation), 20, false)
        .writeTo(out);
    ConnectionRules.deliver(FACTORY, there, frame).writeTo(out);
    ConnectionRules.add(FACTORY, there, Cookie.of(CookieKind.REQUEST, 1, 1, generation), 15, true)
        .writeTo(out);
    return out.writerIndex();
  }
}
