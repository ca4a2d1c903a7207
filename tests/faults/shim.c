/* Stands between a process and the disk: counts what changes files of one folder, and lets it go wrong.

   GREENROOM_SHIM_FOLDER   which files: those whose path begins with it; no other is counted
   GREENROOM_SHIM_COUNT    a file of eight bytes that always holds how many changes there were
   GREENROOM_SHIM          what happens, from the change of number N (the first is 0):
                             kill:N    the process is killed before it
                             torn:N    half of it is written, where it is a write, then the process is killed
                             full:N    it and all later ones that need room: no space left on the device
                             broken:N  it and all later ones: input/output error
                             stall:N:MS  it and all later ones take so many milliseconds longer */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NEEDS_ROOM = 1, IS_WRITE = 2 };
enum { PASS, FAIL, TEAR };

static int64_t *counter(void) {
    static int64_t *kept;
    static char of[PATH_MAX];
    const char *path = getenv("GREENROOM_SHIM_COUNT");
    if (!path) return NULL;
    if (kept && !strcmp(path, of)) return kept;
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return NULL;
    kept = mmap(NULL, sizeof *kept, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    snprintf(of, sizeof of, "%s", path);
    return kept;
}

static int watched(const char *path) {
    const char *folder = getenv("GREENROOM_SHIM_FOLDER");
    return folder && !strncmp(path, folder, strlen(folder));
}

static int watched_fd(int fd) {
    if (!getenv("GREENROOM_SHIM_FOLDER")) return 0;
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlink, link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return watched(path);
}

static int fate(int kind) {
    int64_t *count = counter();
    if (!count) return PASS;
    int64_t number = __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
    const char *wanted = getenv("GREENROOM_SHIM");
    char what[16];
    long long from, ms = 0;
    if (!wanted || sscanf(wanted, "%15[a-z]:%lld:%lld", what, &from, &ms) < 2 || number < from) return PASS;
    if (!strcmp(what, "stall")) {
        struct timespec wait = {ms / 1000, ms % 1000 * 1000000};
        nanosleep(&wait, NULL);
    } else if (!strcmp(what, "kill") || (!strcmp(what, "torn") && !(kind & IS_WRITE))) {
        kill(getpid(), SIGKILL);
    } else if (!strcmp(what, "torn")) {
        return TEAR;
    } else if (!strcmp(what, "broken")) {
        errno = EIO;
        return FAIL;
    } else if (!strcmp(what, "full") && kind & NEEDS_ROOM) {
        errno = ENOSPC;
        return FAIL;
    }
    return PASS;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CHANGE(seen, kind) if (seen && fate(kind) == FAIL) return -1

ssize_t write(int fd, const void *buffer, size_t size) {
    int how = watched_fd(fd) ? fate(NEEDS_ROOM | IS_WRITE) : PASS;
    if (how == FAIL) return -1;
    ssize_t done = REAL(write)(fd, buffer, how == TEAR ? size / 2 : size);
    if (how == TEAR) kill(getpid(), SIGKILL);
    return done;
}

ssize_t pwrite64(int fd, const void *buffer, size_t size, off64_t at) {
    int how = watched_fd(fd) ? fate(NEEDS_ROOM | IS_WRITE) : PASS;
    if (how == FAIL) return -1;
    ssize_t done = REAL(pwrite64)(fd, buffer, how == TEAR ? size / 2 : size, at);
    if (how == TEAR) kill(getpid(), SIGKILL);
    return done;
}

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t at) { return pwrite64(fd, buffer, size, at); }

int ftruncate64(int fd, off64_t size) {
    CHANGE(watched_fd(fd), 0);
    return REAL(ftruncate64)(fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int fsync(int fd) {
    CHANGE(watched_fd(fd), 0);
    return REAL(fsync)(fd);
}

int fdatasync(int fd) {
    CHANGE(watched_fd(fd), 0);
    return REAL(fdatasync)(fd);
}

int unlink(const char *path) {
    CHANGE(watched(path), 0);
    return REAL(unlink)(path);
}

int rename(const char *from, const char *to) {
    CHANGE(watched(to), 0);
    return REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
    CHANGE(watched(to), NEEDS_ROOM);
    return REAL(link)(from, to);
}
