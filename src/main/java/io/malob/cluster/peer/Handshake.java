package io.malob.cluster.peer;

import io.malob.module.FieldReader;
import io.malob.module.FieldWriter;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * One side of the handshake on a new connection. Both sides say hello with a fresh nonce, and prove
 * with an HMAC over both hellos that they know the cluster's key. The keys for frames depend on the
 * hellos, too, so no frame can be repeated on another connection. Used by one thread.
 */
final class Handshake {
  /** The version of the protocol. Another version may differ in all that follows it in a hello. */
  static final int VERSION = 1;

  static final String ALGORITHM = "HmacSHA256";
  static final int PROOF_BYTES = 32;
  static final int NONCE_BYTES = 16;

  private static final int MAGIC = 0x4d4c4250;
  private static final int VERSION_BYTES = 6;

  private final Self self;
  private final boolean isClient;
  private final byte[] ownHello;
  private byte @Nullable [] otherHello;
  private String name = "";
  private String token = "";

  /**
   * What a controller says of itself.
   *
   * @param token of its process
   * @param key of all streams of the cluster
   */
  record Self(String name, String token, SecretKey key) {
    /** A controller of the cluster with this shared key. */
    static Self of(String name, String token, byte[] sharedKey) {
      SecretKey shared = new SecretKeySpec(sharedKey, ALGORITHM);
      return new Self(name, token, derived(shared, "streams between controllers"));
    }
  }

  /** A handshake of the side that has connected, or of the other one. */
  Handshake(Self self, boolean isClient, byte[] nonce) {
    this.self = self;
    this.isClient = isClient;
    ownHello =
        new FieldWriter(128)
            .putInt(MAGIC)
            .putShort(VERSION)
            .putBytes(nonce)
            .putShortBytes(self.name().getBytes(StandardCharsets.UTF_8))
            .putShortBytes(self.token().getBytes(StandardCharsets.UTF_8))
            .toBytes();
  }

  /** This side's hello. */
  byte[] hello() {
    return ownHello;
  }

  /** Reads the other side's hello. */
  void read(byte[] hello) throws RefusedException {
    FieldReader in = new FieldReader(ByteBuffer.wrap(hello));
    if (hello.length < VERSION_BYTES || in.readInt() != MAGIC) {
      throw new RefusedException("it is no controller");
    }
    int version = in.readShort();
    if (version != VERSION) {
      throw new RefusedException(
          String.format(
              "it uses version %d of the protocol between controllers, this controller version %d:"
                  + " run one release of MALOB on all",
              version, VERSION));
    }
    try {
      in.readBytes(NONCE_BYTES);
      name = new String(in.readShortBytes(), StandardCharsets.UTF_8);
      token = new String(in.readShortBytes(), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new RefusedException("its hello is damaged");
    }
    otherHello = hello;
  }

  /** The name that the other side has given. */
  String name() {
    return name;
  }

  /** The token that the other side has given. */
  String token() {
    return token;
  }

  /** Proves to the other side that this one knows the key. */
  byte[] proof() {
    return derived("proof", isClient).getEncoded();
  }

  /** Checks the other side's proof. */
  void verify(ByteBuf proof) throws RefusedException {
    byte[] given = new byte[PROOF_BYTES];
    proof.readBytes(given);
    if (!MessageDigest.isEqual(given, derived("proof", !isClient).getEncoded())) {
      throw new RefusedException(
          "it has another key than this controller: they use different clusters, or etcd's key"
              + " cluster/peer-key was replaced meanwhile");
    }
  }

  /** Seals this side's frames. */
  FrameSeal ownSeal() {
    return new FrameSeal(derived("frames", isClient));
  }

  /** Opens the other side's frames. */
  FrameSeal otherSeal() {
    return new FrameSeal(derived("frames", !isClient));
  }

  /** A key of one side for one purpose, which depends on everything that both have said. */
  private SecretKey derived(String purpose, boolean ofClient) {
    byte[] other = otherHello == null ? new byte[0] : otherHello;
    return derived(
        self.key(),
        purpose + (ofClient ? " of the client" : " of the server"),
        isClient ? ownHello : other,
        isClient ? other : ownHello);
  }

  private static SecretKey derived(SecretKey key, String purpose, byte[]... context) {
    Mac mac = mac(key);
    mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
    mac.update((byte) 0);
    for (byte[] part : context) {
      mac.update(part); // a hello tells its own length
    }
    return new SecretKeySpec(mac.doFinal(), ALGORITHM);
  }

  static Mac mac(SecretKey key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // each Java platform has it
    }
  }
}
