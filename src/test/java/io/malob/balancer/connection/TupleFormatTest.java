package io.malob.balancer.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.algorithm.FiveTuple;
import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.projectfloodlight.openflow.types.IPAddress;

class TupleFormatTest {
  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private static FiveTuple read(byte[] bytes) {
    return TupleFormat.read(new FieldReader(ByteBuffer.wrap(bytes)));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, 10.0.0.100, 1104 0a000001 0a000064 ffff 01bb",
    "2001:db8::1, 2001:db8::64, 1106 20010db8000000000000000000000001"
        + " 20010db8000000000000000000000064 ffff 01bb",
  })
  void tuple_hasItsAddressesInFull(String src, String dst, String expected) {
    FiveTuple tuple = FiveTuple.of(17, IPAddress.of(src), 65_535, IPAddress.of(dst), 443);
    FieldWriter out = new FieldWriter(0);
    TupleFormat.write(tuple, out);
    assertArrayEquals(bytes(expected), out.toBytes());
    assertEquals(tuple, read(out.toBytes()));
  }

  @Test
  void otherBytes_areNoTuple() {
    String ports = "ffff01bb";
    assertThrows(IllegalArgumentException.class, () -> read(bytes("0604" + ports)));
    assertThrows(IllegalArgumentException.class, () -> read(bytes("06050a0000010a000064" + ports)));
    // as a key, it would be an IPv6 address
    assertThrows(IllegalArgumentException.class, () -> read(bytes("0604f00000010a000064" + ports)));
  }
}
