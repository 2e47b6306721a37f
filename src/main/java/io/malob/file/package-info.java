/**
 * Reads state files, with errors that contain the position; notices that certificates have changed.
 */
@NullMarked
package io.malob.file;

import org.jspecify.annotations.NullMarked;
