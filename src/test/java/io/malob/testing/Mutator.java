package io.malob.testing;

import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Spoils inputs as line noise and attackers do: turned bits, numbers at their limits, pieces cut
 * out, doubled, or taken from another input. The same seed spoils in the same way.
 */
public final class Mutator {
  private static final int[] LIMITS = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, -1};
  private static final int MAX_CHANGES = 4;
  private static final int MAX_BYTES = 0xffff;

  private final RandomGenerator random;
  private final List<byte[]> corpus;

  /** Spoils these. */
  public Mutator(RandomGenerator random, List<byte[]> corpus) {
    this.random = random;
    this.corpus = corpus;
  }

  /** One of the inputs, spoiled in one to four places. */
  public byte[] next() {
    byte[] bytes = any();
    for (int changes = 1 + random.nextInt(MAX_CHANGES); changes > 0; changes--) {
      bytes = spoiled(bytes);
    }
    return bytes.length > MAX_BYTES ? Arrays.copyOf(bytes, MAX_BYTES) : bytes;
  }

  private byte[] any() {
    return corpus.get(random.nextInt(corpus.size()));
  }

  private byte[] spoiled(byte[] bytes) {
    int from = random.nextInt(bytes.length + 1);
    int to = Math.min(bytes.length, from + 1 + random.nextInt(16));
    return switch (random.nextInt(7)) {
      case 0 -> withNumber(bytes, from, 1, random.nextInt());
      case 1 ->
          withNumber(bytes, from, 1 << random.nextInt(3), LIMITS[random.nextInt(LIMITS.length)]);
      case 2 -> withBitTurned(bytes, from);
      case 3 -> Arrays.copyOf(bytes, from);
      case 4 -> spliced(bytes, from, to, new byte[0]);
      case 5 -> spliced(bytes, from, from, Arrays.copyOfRange(bytes, from, to));
      default -> withPieceOf(any(), bytes, from);
    };
  }

  private static byte[] withNumber(byte[] bytes, int at, int size, int number) {
    byte[] changed = bytes.clone();
    for (int i = 0; i < size && at + i < changed.length; i++) {
      changed[at + i] = (byte) (number >> (8 * (size - 1 - i)));
    }
    return changed;
  }

  private byte[] withBitTurned(byte[] bytes, int at) {
    byte[] changed = bytes.clone();
    if (at < changed.length) {
      changed[at] ^= (byte) (1 << random.nextInt(8));
    }
    return changed;
  }

  private byte[] withPieceOf(byte[] other, byte[] bytes, int at) {
    int from = random.nextInt(other.length + 1);
    int to = Math.min(other.length, from + random.nextInt(32));
    return spliced(
        bytes, at, Math.min(bytes.length, at + to - from), Arrays.copyOfRange(other, from, to));
  }

  private static byte[] spliced(byte[] bytes, int from, int to, byte[] piece) {
    byte[] result = new byte[bytes.length - (to - from) + piece.length];
    System.arraycopy(bytes, 0, result, 0, from);
    System.arraycopy(piece, 0, result, from, piece.length);
    System.arraycopy(bytes, to, result, from + piece.length, bytes.length - to);
    return result;
  }
}
