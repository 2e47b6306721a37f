package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.algorithm.FiveTuple;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPAddress;

class TupleFormatTest {
  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.100, 1104 0a000001 0a000064 ffff 01bb",
    "2001:db8::1, 2001:db8::64, 1106 20010db8000000000000000000000001"
        + " 20010db8000000000000000000000064 ffff 01bb",
  })
  void tuple_hasItsAddressesInFull(String src, String dst, String expected) {
    FiveTuple tuple = FiveTuple.of(17, IPAddress.of(src), 65_535, IPAddress.of(dst), 443);
    ByteBuffer out = ByteBuffer.allocate(TupleFormat.MAX_BYTES);
    TupleFormat.write(tuple, out);
    byte[] written = Arrays.copyOf(out.array(), out.position());
    assertArrayEquals(bytes(expected.replace(" ", "")).array(), written);
    assertEquals(tuple, TupleFormat.read(ByteBuffer.wrap(written)));
  }

  @Test
  void otherBytes_areNoTuple() {
    String ports = "ffff01bb";
    assertThrows(BufferUnderflowException.class, () -> TupleFormat.read(bytes("0604" + ports)));
    assertThrows(
        IllegalArgumentException.class,
        () -> TupleFormat.read(bytes("06050a0000010a000064" + ports)));
    // as a key, it would be an IPv6 address
    assertThrows(
        IllegalArgumentException.class,
        () -> TupleFormat.read(bytes("0604f00000010a000064" + ports)));
  }
}
