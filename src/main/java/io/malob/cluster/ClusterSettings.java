package io.malob.cluster;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.net.InetAddresses;
import io.malob.cluster.election.Contact;
import io.malob.cluster.election.ThisNode;
import io.malob.cluster.etcd.EtcdAccess;
import io.malob.cluster.peer.PeerListeners;
import io.malob.cluster.peer.PeerStreams;
import io.malob.module.MastershipPolicy;
import io.malob.module.SettingReader;
import io.malob.module.WrongSettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/**
 * The settings of a controller in a cluster. Immutable.
 *
 * @param node this controller's name, unique in the cluster
 * @param restAddress where its REST interface listens, as other controllers and operators see it
 * @param peerHost the address of this controller's port for other controllers; empty for the one
 *     from which it reaches etcd
 * @param mastership how the switches are shared; empty for what the cluster has
 * @param weight this controller's share of the switches, relative to others
 * @param lease how long this controller counts as alive without a sign of it
 * @param maxStart how long this controller waits for etcd when it starts
 */
record ClusterSettings(
    String node,
    String restAddress,
    String peerHost,
    Optional<MastershipPolicy> mastership,
    int weight,
    Duration lease,
    Duration maxStart,
    EtcdAccess access) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}");
  private static final Pattern PREFIX = Pattern.compile("/([A-Za-z0-9_.-]+/)+");

  /** Reads them, and the files that they name. */
  static ClusterSettings read(SettingReader settings) throws FloodlightModuleException {
    ImmutableList<URI> endpoints = endpoints(settings);
    boolean isHttps = endpoints.stream().allMatch(each -> each.getScheme().equals("https"));
    for (String key : ImmutableList.of("caFile", "certificateFile", "keyFile")) {
      if (!isHttps && !settings.text(key, "").isEmpty()) {
        throw wrong(settings, key, "needs endpoints with https");
      }
    }
    return new ClusterSettings(
        matching(settings, "name", hostName(), NAME, "1 to 63 letters, digits or any of _ . -"),
        settings.text("restAddress", ""),
        settings.text("peerHost", ""),
        mastership(settings),
        settings.number("weight", 1, 1, ThisNode.MAX_WEIGHT),
        Duration.ofSeconds(settings.number("leaseSeconds", 3, 2, 60)),
        Duration.ofSeconds(settings.number("startSeconds", 60, 0, 3_600)),
        new EtcdAccess(
            endpoints,
            matching(settings, "prefix", "/malob/", PREFIX, "names between slashes, as /malob/"),
            EtcdAccess.TIMEOUT,
            isHttps ? Optional.of(tls(settings)) : Optional.empty(),
            login(settings, endpoints)));
  }

  /** Opens the port for other controllers. */
  PeerStreams openPeerPort(PeerListeners listeners) throws FloodlightModuleException {
    try {
      return new PeerStreams(
          node, peerHost.isEmpty() ? addressTowards(access.endpoints()) : peerHost, listeners);
    } catch (IOException e) {
      throw new FloodlightModuleException(
          ClusterModule.class.getName() + ".peerHost: " + e.getMessage(), e);
    }
  }

  /** This machine's address on the way to the first server; nothing is sent. */
  private static String addressTowards(ImmutableList<URI> endpoints) throws IOException {
    URI first = endpoints.get(0);
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(new InetSocketAddress(first.getHost(), first.getPort()));
      return socket.getLocalAddress().getHostAddress();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** What this controller says about itself. */
  ThisNode thisNode(String peerContact) {
    return new ThisNode(node, new Contact(restAddress, peerContact), weight, mastership);
  }

  private static Optional<MastershipPolicy> mastership(SettingReader settings)
      throws WrongSettingException {
    String text = settings.text("mastership", "");
    Optional<MastershipPolicy> policy = MastershipPolicy.named(text);
    if (policy.isEmpty() && !text.isEmpty()) {
      throw wrong(settings, "mastership", "must be single or spread, not \"" + text + "\"");
    }
    return policy;
  }

  private static WrongSettingException wrong(SettingReader settings, String key, String what) {
    return new WrongSettingException(settings.module().getName() + "." + key + " " + what);
  }

  private static String matching(
      SettingReader settings, String key, String defaultValue, Pattern pattern, String expected)
      throws WrongSettingException {
    String text = settings.text(key, defaultValue);
    if (!pattern.matcher(text).matches()) {
      throw wrong(settings, key, "must be " + expected + ", not \"" + text + "\"");
    }
    return text;
  }

  private static ImmutableList<URI> endpoints(SettingReader settings) throws WrongSettingException {
    ImmutableList.Builder<URI> endpoints = ImmutableList.builder();
    String text = settings.text("endpoints", "");
    for (String each : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      endpoints.add(
          endpoint(each)
              .orElseThrow(
                  // not the value: it may contain a password
                  () ->
                      wrong(
                          settings,
                          "endpoints",
                          "must be http://HOST:PORT or https://HOST:PORT, several separated by"
                              + " commas")));
    }
    ImmutableList<URI> all = endpoints.build();
    if (all.isEmpty()) {
      throw wrong(settings, "endpoints", "is missing");
    }
    return all;
  }

  private static Optional<URI> endpoint(String text) {
    try {
      URI uri = URI.create(text);
      boolean isPlain =
          uri.getRawUserInfo() == null
              && uri.getRawQuery() == null
              && uri.getRawFragment() == null
              && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"));
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      return isHttp && isPlain && uri.getHost() != null && uri.getPort() > 0
          ? Optional.of(URI.create(uri.getScheme() + "://" + uri.getRawAuthority()))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "";
    }
  }

  private static SSLContext tls(SettingReader settings) throws FloodlightModuleException {
    String certificate = settings.text("certificateFile", "");
    String key = settings.text("keyFile", "");
    if (certificate.isEmpty() != key.isEmpty()) {
      throw wrong(settings, certificate.isEmpty() ? "certificateFile" : "keyFile", "is missing");
    }
    try {
      return PemTls.context(path(settings.text("caFile", "")), path(certificate), path(key));
    } catch (IOException e) {
      throw new FloodlightModuleException("TLS to etcd: " + e.getMessage(), e);
    }
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }

  private static Optional<EtcdAccess.Login> login(
      SettingReader settings, ImmutableList<URI> endpoints) throws FloodlightModuleException {
    String user = settings.text("user", "");
    Optional<Path> file = path(settings.text("passwordFile", ""));
    if (user.isEmpty() && file.isEmpty()) {
      return Optional.empty();
    } else if (user.isEmpty() || file.isEmpty()) {
      throw wrong(settings, user.isEmpty() ? "user" : "passwordFile", "is missing");
    } else if (!endpoints.stream().allMatch(ClusterSettings::isProtected)) {
      throw wrong(settings, "user", "needs https, except on loopback addresses");
    }
    try {
      PrivateFiles.check(file.get());
      return Optional.of(new EtcdAccess.Login(user, Files.readString(file.get()).strip()));
    } catch (IOException e) {
      throw new FloodlightModuleException("etcd's password: " + e.getMessage(), e);
    }
  }

  private static boolean isProtected(URI endpoint) {
    String host = endpoint.getHost().replaceAll("[\\[\\]]", "");
    return endpoint.getScheme().equals("https")
        || host.equals("localhost")
        || (InetAddresses.isInetAddress(host) && InetAddresses.forString(host).isLoopbackAddress());
  }
}
