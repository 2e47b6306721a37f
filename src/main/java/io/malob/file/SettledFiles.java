package io.malob.file;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Files that belong together and are replaced one by one, such as a certificate and its key. A
 * change counts once all files were left alone for {@value #INTERVAL_SECONDS} s. Safe for use by
 * several threads.
 */
public final class SettledFiles {
  /** The min pause between two checks of the files, in seconds. */
  public static final long INTERVAL_SECONDS = 5;

  private static final String UNIX = "unix";
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

  private final ImmutableList<Path> files;
  private final LongSupplier nanoTime;
  private final AtomicLong nextNanos;

  // of the thread that has advanced the time above
  private volatile ImmutableList<Object> counted;
  private volatile ImmutableList<Object> seen;

  /**
   * The files as they are now; to be called before they are read.
   *
   * @param nanoTime counts nanoseconds
   */
  public SettledFiles(ImmutableList<Path> files, LongSupplier nanoTime) {
    this.files = files;
    this.nanoTime = nanoTime;
    counted = versions();
    seen = counted;
    nextNanos = new AtomicLong(nanoTime.getAsLong() + INTERVAL_NANOS);
  }

  /** Whether they have changed since this was last true. Each change is reported to one caller. */
  public boolean haveChanged() {
    long now = nanoTime.getAsLong();
    long due = nextNanos.get();
    if (now - due < 0 || !nextNanos.compareAndSet(due, now + INTERVAL_NANOS)) {
      return false;
    }
    ImmutableList<Object> before = seen;
    ImmutableList<Object> found = versions();
    seen = found;
    if (found.equals(counted) || !found.equals(before)) {
      return false;
    }
    counted = found;
    return true;
  }

  /** What changes when a file is replaced or written, or its permissions are corrected. */
  private ImmutableList<Object> versions() {
    ImmutableList.Builder<Object> versions = ImmutableList.builder();
    for (Path file : files) {
      try {
        boolean isUnix = file.getFileSystem().supportedFileAttributeViews().contains(UNIX);
        String attributes = isUnix ? "unix:ctime,size,fileKey" : "lastModifiedTime,size,fileKey";
        versions.add(Files.readAttributes(file, attributes));
      } catch (IOException e) {
        versions.add("missing");
      }
    }
    return versions.build();
  }
}
