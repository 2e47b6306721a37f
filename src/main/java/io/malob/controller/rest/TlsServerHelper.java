package io.malob.controller.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.ThreadPoolExecutor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.restlet.Server;
import org.restlet.data.Protocol;
import org.restlet.engine.connector.HttpExchangeCall;
import org.restlet.engine.connector.NetServerHelper;

/**
 * Restlet's connector for the JDK's HTTPS server, with what its own lacks: it tells resources the
 * client's certificates. Takes its {@link SSLContext} and whether clients must have one from the
 * server's context.
 */
@SuppressWarnings("deprecation") // Restlet has nothing else in its core to serve HTTPS with
public final class TlsServerHelper extends NetServerHelper {
  static final String CONTEXT = TlsServerHelper.class.getName() + ".context";
  static final String WANTS_CLIENTS = TlsServerHelper.class.getName() + ".wantsClients";

  private @Nullable HttpsServer server;
  private @Nullable ThreadPoolExecutor threads;

  /** A connector of this server; Restlet calls this, and registers one that is of none. */
  public TlsServerHelper(@Nullable Server helped) {
    super(helped);
    getProtocols().add(Protocol.HTTPS);
  }

  @Override
  public synchronized void start() throws Exception {
    setAddress(
        new InetSocketAddress(
            InetAddress.getByName(getHelped().getAddress()), Math.max(0, getHelped().getPort())));
    HttpsServer started = HttpsServer.create(getAddress(), 0);
    SSLContext context = (SSLContext) getContext().getAttributes().get(CONTEXT);
    boolean wantsClients = Boolean.TRUE.equals(getContext().getAttributes().get(WANTS_CLIENTS));
    started.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters wanted = getSSLContext().getDefaultSSLParameters();
            wanted.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            wanted.setNeedClientAuth(wantsClients);
            parameters.setSSLParameters(wanted);
          }
        });
    started.createContext("/", exchange -> handle(new TlsCall(getHelped(), exchange)));
    ThreadPoolExecutor pool = createThreadPool();
    started.setExecutor(pool);
    started.start();
    server = started;
    threads = pool;
    setConfidential(true);
    setEphemeralPort(started.getAddress().getPort());
    super.start();
  }

  @Override
  public synchronized void stop() throws Exception {
    super.stop();
    if (server != null) {
      server.stop(0);
    }
    if (threads != null) {
      threads.shutdown();
    }
  }

  private static final class TlsCall extends HttpExchangeCall {
    private final HttpExchange exchange;

    TlsCall(Server server, HttpExchange exchange) {
      super(server, exchange, true);
      this.exchange = exchange;
    }

    @Override
    public List<Certificate> getCertificates() {
      try {
        return exchange instanceof HttpsExchange https
            ? List.of(https.getSSLSession().getPeerCertificates())
            : List.of();
      } catch (SSLPeerUnverifiedException e) {
        return List.of();
      }
    }
  }
}
