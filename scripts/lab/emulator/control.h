/* The control socket of the emulator: one request and one answer per message. */
#ifndef CONTROL_H
#define CONTROL_H

#include "links.h"

enum { MESSAGE_BYTES = 2048 };

/* Listens at a path, for the owner of the process only. Returns the descriptor, -1 with errno. */
int control_listen(const char *path);

/* Does what the request says; changes it. answer: MESSAGE_BYTES long, starts with "ok" or "error".
   *quit becomes true if that is the request. */
void control_answer(Links *links, char *request, char *answer, int64_t now_ns, bool *quit);

#endif
