package io.malob.openflow.label;

/**
 * The ids from which one controller allocates the labels of connections' paths. The controllers of
 * a cluster have ranges of their own, so that no two give one label to different paths.
 *
 * @param first the smallest id, at least 1
 * @param last the largest id
 */
public record LabelRange(int first, int last) {
  /** How many slots there are: the max number of controllers of a cluster. */
  public static final int SLOTS = 16;

  /** All ids, for a controller without a cluster. */
  public static final LabelRange ALL = new LabelRange(1, Label.MAX_CONNECTION_ID);

  private static final int SLOT_SIZE = (Label.MAX_CONNECTION_ID + 1) / SLOTS;

  /** The range of a controller's slot, from 0 to {@link #SLOTS} - 1. */
  public static LabelRange ofSlot(int slot) {
    if (slot < 0 || slot >= SLOTS) {
      throw new IllegalArgumentException(
          "a slot is between 0 and " + (SLOTS - 1) + ", not " + slot);
    }
    return new LabelRange(Math.max(1, slot * SLOT_SIZE), (slot + 1) * SLOT_SIZE - 1);
  }

  /** How many ids there are. */
  public int size() {
    return last - first + 1;
  }

  /** Whether a label's id is in this range. */
  public boolean contains(int id) {
    return id >= first && id <= last;
  }
}
