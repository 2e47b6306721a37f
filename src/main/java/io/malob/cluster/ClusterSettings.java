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
import io.malob.module.Setting;
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
import java.util.function.Supplier;
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
  private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}");
  private static final Pattern PREFIXES = Pattern.compile("/([A-Za-z0-9_.-]+/)+");

  private static final Setting<String> ENDPOINTS =
      Setting.text("endpoints", "")
          .describedAs(
              "The servers of the etcd that several controllers share, http://HOST:PORT or"
                  + " https://HOST:PORT, separated by commas; empty: no cluster. Option --etcd"
                  + " sets it.");
  private static final Setting<String> NAME =
      Setting.text("name", "")
          .describedAs(
              "The name of this controller, unique in the cluster; empty: the host's name. Option"
                  + " --node sets it.");
  private static final Setting<String> PREFIX =
      Setting.text("prefix", "/malob/")
          .describedAs("The beginning of all keys in etcd: names between slashes.");
  private static final Setting<Integer> LEASE_SECONDS =
      Setting.number("leaseSeconds", 3, 2, 60)
          .describedAs("The seconds after which a silent controller loses its switches to others.");
  private static final Setting<Integer> START_SECONDS =
      Setting.number("startSeconds", 60, 0, 3_600)
          .describedAs("The max time in seconds that a controller that starts waits for etcd.");
  private static final Setting<MastershipPolicy> MASTERSHIP =
      Setting.choice("mastership", MastershipPolicy.class, "")
          .describedAs(
              "Whether one controller is master of all switches, or each of some; empty: as the"
                  + " cluster has it, single in a new one.");
  private static final Setting<Integer> WEIGHT =
      Setting.number("weight", 1, 1, ThisNode.MAX_WEIGHT)
          .describedAs(
              "With mastership spread, this controller's share of the switches, relative to"
                  + " others.");
  private static final Setting<String> REST_ADDRESS =
      Setting.text("restAddress", "")
          .describedAs(
              "HOST:PORT of the REST interface, as other controllers and operators see it; empty:"
                  + " host and httpPort of RestModule.");
  private static final Setting<String> PEER_HOST =
      Setting.text("peerHost", "")
          .describedAs(
              "The address of this controller for the others, in a network that outsiders cannot"
                  + " read; empty: the one from which it reaches etcd.");
  private static final Setting<String> CA_FILE =
      Setting.text("caFile", "")
          .describedAs(
              "The certificates of the authorities of etcd's servers, a PEM file; empty: those"
                  + " that Java knows.");
  private static final Setting<String> CERTIFICATE_FILE =
      Setting.text("certificateFile", "")
          .describedAs("This controller's certificate, a PEM file, if etcd asks for one.");
  private static final Setting<String> KEY_FILE =
      Setting.text("keyFile", "")
          .describedAs("The key of the certificate, a PEM file (PKCS#8) with mode 0600.");
  private static final Setting<String> USER =
      Setting.text("user", "").describedAs("The user of etcd.");
  private static final Setting<String> PASSWORD_FILE =
      Setting.text("passwordFile", "")
          .describedAs("A file with the password of etcd's user, with mode 0600.");

  /** All of them. */
  static final ImmutableList<Setting<?>> ALL =
      ImmutableList.of(
          ENDPOINTS,
          NAME,
          PREFIX,
          LEASE_SECONDS,
          START_SECONDS,
          MASTERSHIP,
          WEIGHT,
          REST_ADDRESS,
          PEER_HOST,
          CA_FILE,
          CERTIFICATE_FILE,
          KEY_FILE,
          USER,
          PASSWORD_FILE);

  /** Reads them, and the files that they name. */
  static ClusterSettings read(SettingReader settings) throws FloodlightModuleException {
    ImmutableList<URI> endpoints = endpoints(settings);
    boolean isHttps = endpoints.stream().allMatch(each -> each.getScheme().equals("https"));
    for (Setting<String> file : ImmutableList.of(CA_FILE, CERTIFICATE_FILE, KEY_FILE)) {
      if (!isHttps && !settings.get(file).isEmpty()) {
        throw settings.wrong(file, "needs endpoints with https");
      }
    }
    return new ClusterSettings(
        matching(
            settings,
            NAME,
            settings.given(NAME).orElseGet(ClusterSettings::hostName),
            NAMES,
            "1 to 63 letters, digits or any of _ . -"),
        settings.get(REST_ADDRESS),
        settings.get(PEER_HOST),
        settings.given(MASTERSHIP),
        settings.get(WEIGHT),
        Duration.ofSeconds(settings.get(LEASE_SECONDS)),
        Duration.ofSeconds(settings.get(START_SECONDS)),
        new EtcdAccess(
            endpoints,
            matching(
                settings,
                PREFIX,
                settings.get(PREFIX),
                PREFIXES,
                "names between slashes, as /malob/"),
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
          PEER_HOST.of(ClusterModule.class) + ": " + e.getMessage(), e);
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

  private static String matching(
      SettingReader settings,
      Setting<String> setting,
      String text,
      Pattern pattern,
      String expected)
      throws WrongSettingException {
    if (!pattern.matcher(text).matches()) {
      throw settings.wrong(setting, "must be " + expected + ", not \"" + text + "\"");
    }
    return text;
  }

  private static ImmutableList<URI> endpoints(SettingReader settings) throws WrongSettingException {
    ImmutableList.Builder<URI> endpoints = ImmutableList.builder();
    String text = settings.get(ENDPOINTS);
    for (String each : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      endpoints.add(
          endpoint(each)
              .orElseThrow(
                  // not the value: it may contain a password
                  () ->
                      settings.wrong(
                          ENDPOINTS,
                          "must be http://HOST:PORT or https://HOST:PORT, several separated by"
                              + " commas")));
    }
    ImmutableList<URI> all = endpoints.build();
    if (all.isEmpty()) {
      throw settings.wrong(ENDPOINTS, "is missing");
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

  private static Supplier<SSLContext> tls(SettingReader settings) throws FloodlightModuleException {
    String certificate = settings.get(CERTIFICATE_FILE);
    String key = settings.get(KEY_FILE);
    if (certificate.isEmpty() != key.isEmpty()) {
      throw settings.wrong(certificate.isEmpty() ? CERTIFICATE_FILE : KEY_FILE, "is missing");
    }
    try {
      return new PemTls(
          path(settings.get(CA_FILE)), path(certificate), path(key), System::nanoTime);
    } catch (IOException e) {
      throw new FloodlightModuleException("TLS to etcd: " + e.getMessage(), e);
    }
  }

  private static Optional<Path> path(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
  }

  private static Optional<EtcdAccess.Login> login(
      SettingReader settings, ImmutableList<URI> endpoints) throws FloodlightModuleException {
    String user = settings.get(USER);
    Optional<Path> file = path(settings.get(PASSWORD_FILE));
    if (user.isEmpty() && file.isEmpty()) {
      return Optional.empty();
    } else if (user.isEmpty() || file.isEmpty()) {
      throw settings.wrong(user.isEmpty() ? USER : PASSWORD_FILE, "is missing");
    } else if (!endpoints.stream().allMatch(ClusterSettings::isProtected)) {
      throw settings.wrong(USER, "needs https, except on loopback addresses");
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
