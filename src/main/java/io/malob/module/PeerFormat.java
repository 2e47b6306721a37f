package io.malob.module;

import com.google.common.collect.Lists;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The messages of a topic that consist of items of one type, one after the other. The bytes of an
 * item are part of the protocol between controllers: those of one release and the next are equal.
 */
public interface PeerFormat<T> {
  /** Writes an item. */
  void write(T item, FieldWriter out);

  /** Reads an item; throws as the methods of the reader do. */
  T read(FieldReader in);

  /** These items as one message. */
  default byte[] message(Collection<? extends T> items) {
    FieldWriter out = new FieldWriter(64 * items.size());
    items.forEach(item -> write(item, out));
    return out.toBytes();
  }

  /** These items as messages of max so many. */
  default List<byte[]> messages(Collection<? extends T> items, int batch) {
    return Lists.partition(List.copyOf(items), batch).stream().map(this::message).toList();
  }

  /**
   * Reads a whole message.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  default List<T> readAll(ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    List<T> items = new ArrayList<>();
    while (in.hasRemaining()) {
      items.add(read(in));
    }
    return items;
  }
}
