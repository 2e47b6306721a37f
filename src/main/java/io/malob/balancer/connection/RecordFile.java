package io.malob.balancer.connection;

import com.google.common.collect.ImmutableList;
import io.malob.balancer.api.BalancerActivity;
import io.malob.balancer.api.ConnectionRecord;
import io.malob.module.Setting;
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
public record RecordFile(
    ConnectionRecords records, RecordFormat format, @Nullable RecordWriter<ConnectionRecord> writer)
    implements AutoCloseable {
  private static final Setting<String> FILE =
      Setting.text("connectionRecords", "")
          .describedAs(
              "A file that gets a line of JSON for each connection whose rules have expired;"
                  + " empty: no file.");
  private static final Setting<Integer> MEGABYTES =
      Setting.number("connectionRecordsMegabytes", 100, 1, 1_000_000)
          .describedAs(
              "The size in megabytes at which the file of connection records is renamed to"
                  + " FILE.1.");
  private static final Setting<Integer> MAX_FILES =
      Setting.number("connectionRecordsFiles", 5, 1, 1_000)
          .describedAs("The max number of files of connection records.");

  /** All of them. */
  public static final ImmutableList<Setting<?>> ALL = ImmutableList.of(FILE, MEGABYTES, MAX_FILES);

  private static final long BYTES_PER_MEGABYTE = 1_000_000;

  /**
   * Opens the file that the settings name.
   *
   * @throws FloodlightModuleException if it cannot be written, or a setting is wrong
   */
  public static RecordFile open(SettingReader settings, LongSupplier nanoTime)
      throws FloodlightModuleException {
    String file = settings.get(FILE);
    long maxBytes = settings.get(MEGABYTES) * BYTES_PER_MEGABYTE;
    int maxFiles = settings.get(MAX_FILES);
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
          FILE.of(settings.module()) + " cannot be written: " + e, e);
    }
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
