package io.malob.store;

/**
 * What became of a compare-and-set.
 *
 * @param isDone whether the document was as expected, and is now what was asked for
 * @param now the document after it: the new one if it is done, else the one that was there instead
 */
public record Swap<T>(boolean isDone, Revisioned<T> now) {}
