package io.malob.balancer.connection;

import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.module.SettingReader;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.record.RecordWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;

/** The file of connection records, if one is configured. Thread-safe. */
public final class RecordFile implements AutoCloseable {
  private static final long BYTES_PER_MEGABYTE = 1_000_000;

  private final ConnectionRecords records;
  private final RecordFormat format;
  private final @Nullable RecordWriter<ConnectionRecord> writer;

  private RecordFile(
      ConnectionRecords records,
      RecordFormat format,
      @Nullable RecordWriter<ConnectionRecord> writer) {
    this.records = records;
    this.format = format;
    this.writer = writer;
  }

  /**
   * Opens the file that the settings name.
   *
   * @throws FloodlightModuleException if it cannot be written, or a setting is wrong
   */
  public static RecordFile open(SettingReader settings, LongSupplier nanoTime)
      throws FloodlightModuleException {
    String file = settings.text("connectionRecords", "");
    long maxBytes =
        settings.number("connectionRecordsMegabytes", 100, 1, 1_000_000) * BYTES_PER_MEGABYTE;
    int maxFiles = settings.number("connectionRecordsFiles", 5, 1, 1_000);
    RecordFormat format = new RecordFormat();
    if (file.isEmpty()) {
      return new RecordFile(ConnectionRecords.NONE, format, null);
    }
    try {
      RecordWriter<ConnectionRecord> writer =
          RecordWriter.start(Path.of(file), maxBytes, maxFiles, format::line);
      return new RecordFile(
          new ConnectionRecords(writer::add, Clock.systemUTC(), nanoTime), format, writer);
    } catch (IOException e) {
      throw new FloodlightModuleException(
          settings.module().getName() + ".connectionRecords cannot be written: " + e, e);
    }
  }

  /** The records; they keep nothing if no file is configured. */
  public ConnectionRecords records() {
    return records;
  }

  /** From now on, records use the names of this catalog. */
  public void learn(CatalogSnapshot catalog) {
    format.learn(catalog);
  }

  public BalancerActivity.Records counts() {
    return writer == null
        ? new BalancerActivity.Records(0, 0)
        : new BalancerActivity.Records(writer.written(), writer.dropped());
  }

  /** Writes pending records. */
  @Override
  public void close() {
    if (writer != null) {
      records.end();
      writer.close();
    }
  }
}
