/* TAP devices: network interfaces whose other end is a file descriptor of ours. */
#ifndef TAP_H
#define TAP_H

/* Makes a device and switches it on; it goes when the descriptor is closed, however this process ends.
   Returns a non-blocking descriptor, or -1 with errno. */
int tap_open(const char *name);

#endif
