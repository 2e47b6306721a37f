package io.malob.controller.http;

import com.google.common.base.Ascii;
import io.malob.controller.access.RequestHead;
import io.malob.json.RejectedException;
import io.malob.resource.RequestBody;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** A request whose head is known; its body is read by its connection, and then by its handler. */
final class PendingRequest implements RequestBody {
  private final RequestHead head;
  private final HttpHandler.Exchange exchange;
  private byte[] body = new byte[0];
  private int length;
  private int maxLength;

  PendingRequest(RequestHead head, HttpHandler.Exchange exchange) {
    this.head = head;
    this.exchange = exchange;
  }

  RequestHead head() {
    return head;
  }

  HttpHandler.Exchange exchange() {
    return exchange;
  }

  boolean isHead() {
    return head.method().equals("HEAD");
  }

  int maxLength() {
    return maxLength;
  }

  void setMaxLength(int newMax) {
    maxLength = newMax;
  }

  /** The length of the body with so many more bytes. */
  int lengthWith(int added) {
    return length + added;
  }

  /** How many bytes the buffer needs to grow by for so many more bytes of the body. */
  int growthFor(int added) {
    int needed = length + added;
    return needed <= body.length
        ? 0
        : Math.min(maxLength, Math.max(needed, body.length * 2)) - body.length;
  }

  /** Adds a piece of the body, which fits into the buffer after it has grown by so many bytes. */
  void add(ByteBuf piece, int growth) {
    int added = piece.readableBytes();
    body = growth == 0 ? body : Arrays.copyOf(body, body.length + growth);
    piece.readBytes(body, length, added);
    length += added;
  }

  @Override
  public byte[] bytes(int maxBytes) throws IOException, RejectedException {
    InputStream sent = new ByteArrayInputStream(body, 0, length);
    if (length == 0) {
      return new byte[0];
    }
    try (InputStream plain =
        switch (Ascii.toLowerCase(head.header("Content-Encoding").orElse(""))) {
          case "gzip" -> new GZIPInputStream(sent);
          case "deflate" -> new InflaterInputStream(sent);
          default -> sent;
        }) {
      return RequestBody.read(plain, maxBytes);
    }
  }
}
