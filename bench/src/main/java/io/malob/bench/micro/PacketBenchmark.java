package io.malob.bench.micro;

import io.malob.algorithm.FiveTuple;
import io.malob.openflow.packet.Packet;
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

/** Reading what arrives in a PACKET_IN. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
@State(Scope.Benchmark)
public class PacketBenchmark {
  private byte[] syn;

  /** Makes the frame. */
  @Setup
  public void setUp() {
    syn = Frames.syn();
    if (!Packet.parse(syn).isTcpSyn()) {
      throw new IllegalStateException("not a SYN");
    }
  }

  /** A TCP SYN. */
  @Benchmark
  public Packet parse() {
    return Packet.parse(syn);
  }

  /** The same with the key for the look-up of connections. */
  @Benchmark
  public FiveTuple parseToFiveTuple() {
    return Packet.parse(syn).fiveTuple();
  }
}
