package io.malob.state.report;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.malob.state.network.ServerValue;
import java.nio.charset.StandardCharsets;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The plain text formats of the MALOB thesis, which are not signed: {@code responseTime connections
 * cpu} of a server, in milliseconds, connections on all ports, and per cent as mpstat prints it;
 * {@code ip:ip:throughput} of a link, from the first node to the second, in Mbit/s.
 */
final class PlainReport {
  private static final String NUMBER = "([0-9]{1,12}(?:\\.[0-9]{1,12})?)";
  private static final String IP = "([0-9]{1,3}(?:\\.[0-9]{1,3}){3})";
  private static final Pattern SERVER =
      Pattern.compile(NUMBER + " +([0-9]{1,9}) +" + NUMBER + "\\s*");
  private static final Pattern LINK = Pattern.compile(IP + ":" + IP + ":" + NUMBER + "\\s*");

  private PlainReport() {}

  /**
   * The report of this text.
   *
   * @param sender its source address, which for a link must be the first node
   */
  static Report read(byte[] bytes, String sender) throws RejectedReportException {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    Matcher server = SERVER.matcher(text);
    if (server.matches()) {
      return new Report(null, server(server));
    }
    Matcher link = LINK.matcher(text);
    if (!link.matches()) {
      throw ReportReader.malformed("the report has an unknown format", null);
    }
    if (!link.group(1).equals(sender)) {
      throw new RejectedReportException(
          Rejection.WRONG_ADDRESS, "the first node is not the sender", null);
    }
    return new Report(null, link(link));
  }

  private static Report.Server server(Matcher fields) throws RejectedReportException {
    double millis = value(fields.group(1), "response time", ServerValue.RESPONSE.max());
    int connections = (int) value(fields.group(2), "connections", 10_000_000);
    double percent = value(fields.group(3), "cpu", 100);
    return new Report.Server(
        ImmutableMap.of(
            ServerValue.CPU,
            percent / 100,
            ServerValue.RESPONSE,
            ServerValue.RESPONSE.ofField(millis)),
        ImmutableMap.of(Report.Server.ANY_PORT, connections));
  }

  private static Report.Links link(Matcher fields) throws RejectedReportException {
    return new Report.Links(
        ImmutableList.of(
            new Report.Throughput(
                ReportReader.address(fields.group(2), "neighbour"),
                OptionalDouble.of(value(fields.group(3), "throughput", 1_000_000) * 1e6),
                OptionalDouble.empty())));
  }

  private static double value(String text, String name, double max) throws RejectedReportException {
    return ReportReader.plausible(Double.parseDouble(text), name, max);
  }
}
