package io.malob.state.report;

import com.google.common.io.BaseEncoding;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A report in its wire format: a line {@code malob-report 1 ID SIGNATURE}, then JSON. The signature
 * is the HMAC-SHA-256 of the JSON's bytes under the agent's key, in lower-case hexadecimal digits.
 * So no part of the JSON is parsed before its author is known.
 *
 * @param agent the claimed id of the agent
 * @param body the JSON; to be read only if {@link #isSignedWith} the agent's key
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes are never changed
record SignedReport(String agent, String signature, byte[] body) {
  private static final byte[] MAGIC = "malob-report ".getBytes(StandardCharsets.US_ASCII);
  private static final Pattern HEAD =
      Pattern.compile("malob-report 1 ([A-Za-z0-9._-]{1,32}) ([0-9a-f]{64})");

  /** Longer than any head. */
  private static final int MAX_HEAD_BYTES = 120;

  /** Whether these bytes look like a signed report of any version. */
  static boolean isOne(byte[] bytes) {
    return bytes.length >= MAGIC.length
        && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
  }

  /** Splits a report. */
  static SignedReport parse(byte[] bytes) throws RejectedReportException {
    int end = 0;
    while (end < bytes.length && end < MAX_HEAD_BYTES && bytes[end] != '\n') {
      end++;
    }
    Matcher head = HEAD.matcher(new String(bytes, 0, end, StandardCharsets.US_ASCII));
    if (!head.matches() || end == bytes.length) {
      throw new RejectedReportException(
          Rejection.MALFORMED,
          "the first line must be \"malob-report 1 ID SIGNATURE\", with 64 hexadecimal digits",
          null);
    }
    return new SignedReport(
        head.group(1), head.group(2), Arrays.copyOfRange(bytes, end + 1, bytes.length));
  }

  /** Whether the owner of the key has signed this. Takes the same time for any difference. */
  boolean isSignedWith(SecretKeySpec key) {
    byte[] hex =
        BaseEncoding.base16().lowerCase().encode(sign(key)).getBytes(StandardCharsets.US_ASCII);
    return MessageDigest.isEqual(hex, signature.getBytes(StandardCharsets.US_ASCII));
  }

  private byte[] sign(SecretKeySpec key) {
    try {
      Mac mac = Mac.getInstance(Agent.HMAC);
      mac.init(key);
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HMAC-SHA-256", e);
    }
  }
}
