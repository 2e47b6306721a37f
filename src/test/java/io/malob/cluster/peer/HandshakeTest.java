package io.malob.cluster.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.malob.testing.WireBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** The bytes of a handshake between two controllers. */
class HandshakeTest {
  private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(US_ASCII);

  private final Handshake client = handshake("a", "t\u00f6ken", true);
  private final Handshake server = handshake("b.example", "", false);

  private static Handshake handshake(String name, String token, boolean isClient) {
    byte[] nonce = new byte[Handshake.NONCE_BYTES];
    nonce[0] = (byte) (isClient ? 1 : 2);
    return new Handshake(Handshake.Self.of(name, token, KEY), isClient, nonce);
  }

  @Test
  void bytes_areThoseOfTheLastRelease() throws RefusedException {
    WireBytes.check("hello-client", client.hello());
    WireBytes.check("hello-server", server.hello());
    client.read(server.hello());
    server.read(client.hello());
    assertEquals("b.example", client.name());
    assertEquals("t\u00f6ken", server.token());
    WireBytes.check("proof-client", client.proof());
    WireBytes.check("proof-server", server.proof());
    server.verify(Unpooled.wrappedBuffer(client.proof()));
    ByteBuf body = Unpooled.wrappedBuffer(new byte[] {1, 2, 3});
    FrameSeal seal = client.ownSeal();
    WireBytes.check("seal-first", seal.next(body));
    WireBytes.check("seal-second", seal.next(body));
  }

  @Test
  void helloThatIsCutOff_isRefused() {
    byte[] hello = client.hello();
    for (int length = 0; length < hello.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(hello, length);
      assertThrows(RefusedException.class, () -> server.read(cut), "" + length);
    }
  }
}
