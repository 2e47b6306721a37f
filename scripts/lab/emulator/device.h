/* The network interfaces at the ends of links, each behind a descriptor that frames are read from and written to. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>
#include <sys/types.h>

/* Makes a TAP device and switches it on; it goes when the descriptor is closed, however this process ends.
   Returns a non-blocking descriptor, or -1 with errno. */
int device_make(const char *name);

/* Takes over the frames of a device that is there: of a port that a switch has made, and whose other end the switch
   has. It stays when the descriptor is closed. Returns a non-blocking descriptor, or -1 with errno. */
int device_attach(const char *name);

/* The next frame, with its VLAN tag if it has one; as read(). */
ssize_t device_read(int device, unsigned char *frame, size_t room);

#endif
