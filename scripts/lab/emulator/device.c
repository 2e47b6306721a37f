#define _GNU_SOURCE
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for what comes in while this process waits for its turn: 10 ms at 1 Gbit/s, and the kernel's own needs. */
enum { RECEIVE_BYTES = 4 << 20 };

/* Keeps the kernel from sending its own IPv6 messages into the link; there may be no IPv6 at all. */
static void without_ipv6(const char *name) {
    char path[80];
    snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "1", 1) != 1) errno = 0;
    close(file);
}

/* Switches and controllers take a TAP device for one of 10 Mbit/s otherwise; a veth pair says 10 Gbit/s, too. */
static void set_speed(int any, struct ifreq *request) {
    struct ethtool_cmd command = {.cmd = ETHTOOL_SSET, .speed = SPEED_10000, .duplex = DUPLEX_FULL};
    request->ifr_data = (char *)&command;
    ioctl(any, SIOCETHTOOL, request);
}

static int switch_on(const char *name) {
    struct ifreq request = {0};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return -1;
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    int result = ioctl(any, SIOCGIFFLAGS, &request);
    if (result == 0) {
        request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
        result = ioctl(any, SIOCSIFFLAGS, &request);
        set_speed(any, &request);
    }
    int reason = errno;
    close(any);
    errno = reason;
    return result;
}

static int given_up(int descriptor) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int device_make(const char *name) {
    struct ifreq request = {0};
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap < 0) return -1;
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    /* exclusively: do not use a device of that name from another program */
    request.ifr_flags = (short)(IFF_TAP | IFF_NO_PI | IFF_TUN_EXCL);
    if (ioctl(tap, TUNSETIFF, &request) != 0) return given_up(tap);
    without_ipv6(name);
    return switch_on(name) == 0 ? tap : given_up(tap);
}

static int listen_to(int packets, const char *name) {
    struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    address.sll_ifindex = (int)if_nametoindex(name);
    if (address.sll_ifindex == 0) return -1;
    int on = 1, bytes = RECEIVE_BYTES;
    /* what is sent must not come back, and must not wait in a queueing discipline */
    if (setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) return -1;
    if (setsockopt(packets, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof on) != 0) return -1;
    /* the kernel takes VLAN tags out of frames, and tells them there */
    if (setsockopt(packets, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) != 0) return -1;
    if (setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) return -1;
    return bind(packets, (struct sockaddr *)&address, sizeof address);
}

/* The tag that the kernel has taken out, as it is on the wire; false if there was none. */
static bool taken_tag(struct msghdr *message, uint16_t tag[2]) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_PACKET || part->cmsg_type != PACKET_AUXDATA) continue;
        struct tpacket_auxdata about;
        memcpy(&about, CMSG_DATA(part), sizeof about);
        tag[0] = htons((about.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0 ? about.tp_vlan_tpid : ETH_P_8021Q);
        tag[1] = htons(about.tp_vlan_tci);
        return (about.tp_status & TP_STATUS_VLAN_VALID) != 0;
    }
    return false;
}

ssize_t device_read(int device, unsigned char *frame, size_t room) {
    uint16_t tag[2];
    struct iovec space = {.iov_base = frame, .iov_len = room - sizeof tag};
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
    } about;
    struct msghdr message = {
        .msg_iov = &space, .msg_iovlen = 1, .msg_control = about.bytes, .msg_controllen = sizeof about.bytes};
    ssize_t length = recvmsg(device, &message, 0);
    if (length < 0 && errno == ENOTSOCK) return read(device, frame, room);
    if (length < 2 * ETH_ALEN || !taken_tag(&message, tag)) return length;
    memmove(frame + 2 * ETH_ALEN + sizeof tag, frame + 2 * ETH_ALEN, (size_t)length - 2 * ETH_ALEN);
    memcpy(frame + 2 * ETH_ALEN, tag, sizeof tag);
    return length + (ssize_t)sizeof tag;
}

int device_attach(const char *name) {
    /* of no protocol yet: until it is bound, it would get the frames of all devices */
    int packets = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (packets < 0) return -1;
    without_ipv6(name);
    return switch_on(name) == 0 && listen_to(packets, name) == 0 ? packets : given_up(packets);
}
