package io.malob.bench;

import io.malob.testing.EtcdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The servers of etcd that the controllers of a benchmark share. They end with this process. */
final class Cluster implements AutoCloseable {
  private final Path data;
  private final List<EtcdServer> servers;
  private final Thread end;

  private Cluster(Path data, List<EtcdServer> servers) {
    this.data = data;
    this.servers = servers;
    end = new Thread(() -> servers.forEach(EtcdServer::close), "end-etcd");
    Runtime.getRuntime().addShutdownHook(end);
  }

  /** Whether etcd is there; prints an error if not. */
  static boolean isInstalled() {
    if (!EtcdServer.isInstalled()) {
      System.err.println("etcd is not on the PATH; './malob prepare cluster' installs it");
    }
    return EtcdServer.isInstalled();
  }

  /** Starts so many servers, which serve when this returns. */
  static Cluster start(Workspace workspace, int servers) throws Exception {
    Path data = Files.createTempDirectory(workspace.directory(), "etcd");
    return new Cluster(data, EtcdServer.start(data, servers));
  }

  /** The arguments of a controller of that name. */
  List<String> arguments(String name) {
    String endpoints =
        servers.stream()
            .map(server -> server.endpoint().toString())
            .collect(Collectors.joining(","));
    return List.of("--node", name, "--etcd", endpoints);
  }

  @Override
  public void close() throws IOException {
    servers.forEach(EtcdServer::close);
    Runtime.getRuntime().removeShutdownHook(end);
    Workspace.delete(data);
  }
}
