package io.malob.module;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.projectfloodlight.openflow.types.DatapathId;
import org.projectfloodlight.openflow.types.OFPort;

class FieldReaderTest {
  private static final DatapathId SWITCH = DatapathId.of(-2);
  private static final String TEXT = "f\u00fcr \u0000 \ud83d\ude00";

  /** Numbers as they are, without prefixes. */
  private static final PeerFormat<Integer> NUMBERS =
      new PeerFormat<>() {
        @Override
        public void write(Integer item, FieldWriter out) {
          out.putInt(item);
        }

        @Override
        public Integer read(FieldReader in) {
          return in.readInt();
        }
      };

  private static byte[] message() {
    FieldWriter out = new FieldWriter(0).putByte(0x1ff).putShort(0x1ffff).putInt(-3);
    out.putLong(Long.MIN_VALUE).putDouble(-0.5).putSwitch(SWITCH).putPort(OFPort.LOCAL);
    out.putShortBytes(new byte[] {1, 2}).putText(TEXT).putBytes(new byte[] {9});
    return out.setInt(3, 7).toBytes();
  }

  private static void read(byte[] message) {
    FieldReader in = new FieldReader(ByteBuffer.wrap(message));
    assertEquals(0xff, in.readByte());
    assertEquals(0xffff, in.readShort());
    assertEquals(7, in.readInt());
    assertEquals(Long.MIN_VALUE, in.readLong());
    assertEquals(-0.5, in.readDouble());
    assertEquals(SWITCH, in.readSwitch());
    assertEquals(OFPort.LOCAL, in.readPort());
    assertArrayEquals(new byte[] {1, 2}, in.readShortBytes());
    assertEquals(TEXT, in.readText());
    assertArrayEquals(new byte[] {9}, in.readBytes(1));
    assertFalse(in.hasRemaining());
    assertArrayEquals(new byte[0], in.readRest());
  }

  @Test
  void fields_areReadAsTheyWereWritten_bigEndian() {
    byte[] message = message();
    read(message);
    assertEquals("ffffff000000078000", HexFormat.of().formatHex(message, 0, 9));
  }

  @Test
  void messageThatIsCutOff_isRejected() {
    byte[] message = message();
    for (int length = 0; length < message.length; length++) {
      byte[] cut = Arrays.copyOf(message, length);
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> read(cut), "" + length);
      assertEquals("the message ends within an entry", e.getMessage());
    }
  }

  @Test
  void wrongNumber_isNamed() {
    assertEquals(3, FieldReader.within("hops", 3, 0, 3));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> FieldReader.within("hops", 4, 0, 3));
    assertEquals("hops 4", e.getMessage());
  }

  @Test
  void items_areDividedAmongMessages_andReadAsAWhole() {
    List<byte[]> messages = NUMBERS.messages(List.of(1, 2, 3), 2);
    assertEquals(List.of(1, 2), NUMBERS.readAll(ByteBuffer.wrap(messages.get(0))));
    assertEquals(List.of(3), NUMBERS.readAll(ByteBuffer.wrap(messages.get(1))));
    assertThrows(
        IllegalArgumentException.class, () -> NUMBERS.readAll(ByteBuffer.wrap(new byte[6])));
  }
}
