package io.malob.controller.rest;

import com.google.common.collect.ImmutableList;
import io.malob.controller.access.Administrators;
import io.malob.controller.access.HostNames;
import io.malob.controller.access.StoredTokens;
import io.malob.controller.access.TlsFiles;
import io.malob.module.IStoreService;
import io.malob.module.Setting;
import io.malob.module.SettingReader;
import io.malob.store.Store;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;
import net.floodlightcontroller.core.module.FloodlightModuleException;

/**
 * The access to the REST interface.
 *
 * @param tokens has the tokens, if there are any
 * @param mustHaveTokens whether all requests are refused while there are no tokens
 * @param tls if it speaks HTTPS
 * @param administrators the certificates that may make changes
 * @param hostNames under which it is reached
 * @param strictTransportSeconds how long browsers shall use HTTPS only; 0 to leave that open
 */
record AccessSettings(
    Store tokens,
    boolean mustHaveTokens,
    Optional<TlsFiles> tls,
    Administrators administrators,
    HostNames hostNames,
    int strictTransportSeconds) {
  private static final Setting<String> TOKENS =
      Setting.text("tokens", "")
          .describedAs("The file of tokens; empty: tokens.json in the data directory.");
  private static final Setting<String> ADMINISTRATORS =
      Setting.text("administrators", "")
          .describedAs(
              "The clients that may make changes with their certificates, separated by commas:"
                  + " common names, or names such as DNS:ops.example or URI:spiffe://example/ops.");
  private static final Setting<String> HOST_NAMES =
      Setting.text("hostNames", "")
          .describedAs(
              "The names under which browsers may reach the controller, besides addresses and"
                  + " localhost, separated by commas.");
  private static final Setting<Integer> STRICT_TRANSPORT_SECONDS =
      Setting.number("strictTransportSeconds", 0, 0, 2 * 366 * 86_400)
          .describedAs(
              "For how many seconds browsers use only HTTPS for the controller's host name, on all"
                  + " of its ports; 0: browsers are not told.");

  /** All of them. */
  static final ImmutableList<Setting<?>> ALL =
      ImmutableList.<Setting<?>>builder()
          .add(TOKENS)
          .addAll(TlsFiles.SETTINGS)
          .add(ADMINISTRATORS, HOST_NAMES, STRICT_TRANSPORT_SECONDS, RestModule.INSECURE)
          .build();

  /**
   * From the module's settings.
   *
   * @throws FloodlightModuleException if the controller would be open to other machines
   */
  static AccessSettings read(SettingReader settings, IStoreService stores)
      throws FloodlightModuleException {
    String host = settings.get(RestModule.HOST);
    String file = settings.get(TOKENS);
    Store tokens =
        file.isEmpty()
            ? stores.inDirectory(settings.get(RestModule.DATA))
            : stores.inFile(Path.of(file));
    Optional<TlsFiles> tls = TlsFiles.read(settings);
    boolean isInsecure = settings.get(RestModule.INSECURE);
    boolean hasClients = wantsClients(tls);
    boolean isExposed = !isLoopback(host) && !hasClients && !isInsecure;
    if (isExposed && !StoredTokens.isIn(tokens)) {
      throw new FloodlightModuleException(
          String.format(
              "%1$s.host is %2$s, so other machines could change everything: create a token (malob"
                  + " token add NAME --role admin; setting %1$s.tokens), or set %1$s.certificate,"
                  + " .privateKey and .clientAuthorities, or set %1$s.insecure=true (--insecure)",
              settings.module().getName(), host));
    }
    return new AccessSettings(
        tokens,
        isExposed,
        tls,
        Administrators.of(settings.get(ADMINISTRATORS)),
        hostNames(settings),
        settings.get(STRICT_TRANSPORT_SECONDS));
  }

  /** The header with which browsers use HTTPS only: for all ports of a name, so by a setting. */
  Optional<String> strictTransport() {
    return tls.isPresent() && strictTransportSeconds > 0
        ? Optional.of("max-age=" + strictTransportSeconds)
        : Optional.empty();
  }

  private static HostNames hostNames(SettingReader settings) throws FloodlightModuleException {
    String setting = settings.get(HOST_NAMES);
    try {
      return HostNames.of(setting);
    } catch (IllegalArgumentException e) {
      throw settings.wrong(
          HOST_NAMES,
          "must be names, some with a port, such as lb.example, alt.example:8443; not \""
              + setting
              + "\"");
    }
  }

  /** Whether every client needs a certificate. */
  boolean hasClientCertificates() {
    return wantsClients(tls);
  }

  private static boolean wantsClients(Optional<TlsFiles> tls) {
    return tls.isPresent() && tls.get().wantsClients();
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return true; // binding fails as well, with an error then
    }
  }
}
