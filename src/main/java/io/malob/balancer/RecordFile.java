package io.malob.balancer;

import io.malob.module.SettingReader;
import io.malob.state.catalog.CatalogSnapshot;
import io.malob.state.record.RecordWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.LongSupplier;
import net.floodlightcontroller.core.module.FloodlightModuleException;
import org.jspecify.annotations.Nullable;

/** The file of connection records, if there is to be one. Thread-safe. */
final class RecordFile implements AutoCloseable {
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
  static RecordFile open(SettingReader settings, LongSupplier nanoTime)
      throws FloodlightModuleException {
    String file = settings.text("connectionRecords", "");
    long mostBytes =
        settings.number("connectionRecordsMegabytes", 100, 1, 1_000_000) * BYTES_PER_MEGABYTE;
    int mostFiles = settings.number("connectionRecordsFiles", 5, 1, 1_000);
    RecordFormat format = new RecordFormat();
    if (file.isEmpty()) {
      return new RecordFile(ConnectionRecords.NONE, format, null);
    }
    try {
      RecordWriter<ConnectionRecord> writer =
          RecordWriter.start(Path.of(file), mostBytes, mostFiles, format::line);
      return new RecordFile(
          new ConnectionRecords(writer::add, Clock.systemUTC(), nanoTime), format, writer);
    } catch (IOException e) {
      throw new FloodlightModuleException(
          BalancerModule.class.getName() + ".connectionRecords cannot be written: " + e, e);
    }
  }

  /** Where connections are recorded, or are not. */
  ConnectionRecords records() {
    return records;
  }

  /** There is a new catalog, whose names records have from now on. */
  void learn(CatalogSnapshot catalog) {
    format.learn(catalog);
  }

  BalancerActivity.Records counts() {
    return writer == null
        ? new BalancerActivity.Records(0, 0)
        : new BalancerActivity.Records(writer.written(), writer.dropped());
  }

  /** Writes what waits. */
  @Override
  public void close() {
    if (writer != null) {
      records.end();
      writer.close();
    }
  }
}
