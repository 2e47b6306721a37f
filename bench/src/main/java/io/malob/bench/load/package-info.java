/**
 * Emulated switches that send first packets to a controller and check its answers. All of it but
 * the start runs on one event loop, because it shares the machine with what it measures: messages
 * are patched and read as bytes, and nothing is allocated per connection.
 */
@NullMarked
package io.malob.bench.load;

import org.jspecify.annotations.NullMarked;
