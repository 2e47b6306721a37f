package io.malob.balancer.connection;

import io.malob.algorithm.Attachment;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * One object for each place at which clients are attached, so that their connections share it. Of
 * two places with the same slot, the later one replaces the other, which then gets objects anew:
 * the number of places is not bounded, the memory is. Thread-safe, without a lock.
 */
public final class SharedAttachments {
  private static final int BITS = 13;

  private final AtomicReferenceArray<@Nullable Attachment> slots =
      new AtomicReferenceArray<>(1 << BITS);

  /** The object that stands for an attachment. */
  public Attachment share(Attachment attachment) {
    int slot = (attachment.hashCode() * 0x9E3779B9) >>> (32 - BITS);
    @Nullable Attachment known = slots.getAcquire(slot);
    if (known != null && known.equals(attachment)) {
      return known;
    }
    slots.setRelease(slot, attachment);
    return attachment;
  }
}
