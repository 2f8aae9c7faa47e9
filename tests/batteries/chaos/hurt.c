/* Loaded into a service before the C library (LD_PRELOAD): disks that fail and a wall clock that jumps, when told.
 *
 * What it is told, and what it tells, lies in a file of 64 bytes that HURT_CONTROL names; see hurting.py. Only files
 * whose path holds ".sqlite" are hurt, so that logs and ready files are written as ever.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control {
    int64_t fails_from;    /* syncs, or writes, that still go well; negative: all do */
    int64_t error;         /* errno of those that fail */
    int64_t at_writes;     /* 0: syncs fail, 1: writes fail */
    int64_t failed_at;     /* monotonic nanoseconds of the first failure, 0: none yet */
    int64_t failed;        /* how many failed */
    int64_t synced;        /* how many syncs went well */
    int64_t clock_offset;  /* nanoseconds added to the wall clock */
    int64_t unused;
};

static volatile struct control *control;

__attribute__((constructor)) static void attach(void)
{
    const char *path = getenv("HURT_CONTROL");
    int file = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *found = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED)
        control = found;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static int of_a_database(int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return strstr(path, ".sqlite") != NULL && strstr(path, "-shm") == NULL;
}

static int fails(int file, int is_write)
{
    if (control == NULL || control->fails_from < 0 || control->at_writes != is_write || !of_a_database(file))
        return 0;
    if (__atomic_fetch_sub(&control->fails_from, 1, __ATOMIC_SEQ_CST) > 0)
        return 0;
    control->fails_from = 0; /* from here on all fail */
    if (control->failed_at == 0) {
        struct timespec now;
        ((int (*)(clockid_t, struct timespec *))next("clock_gettime"))(CLOCK_MONOTONIC, &now);
        control->failed_at = now.tv_sec * 1000000000LL + now.tv_nsec;
    }
    control->failed++;
    errno = (int)control->error;
    return 1;
}

static int synced(int file, const char *name)
{
    if (fails(file, 0))
        return -1;
    int done = ((int (*)(int))next(name))(file);
    if (done == 0 && control != NULL && of_a_database(file))
        __atomic_fetch_add(&control->synced, 1, __ATOMIC_SEQ_CST);
    return done;
}

int fdatasync(int file)
{
    return synced(file, "fdatasync");
}

int fsync(int file)
{
    return synced(file, "fsync");
}

#define WRITES(name, offset)                                                                     \
    ssize_t name(int file, const void *bytes, size_t count, offset at)                           \
    {                                                                                            \
        if (fails(file, 1))                                                                      \
            return -1;                                                                           \
        return ((ssize_t(*)(int, const void *, size_t, offset))next(#name))(file, bytes, count, at); \
    }

WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int file, const void *bytes, size_t count)
{
    if (fails(file, 1))
        return -1;
    return ((ssize_t(*)(int, const void *, size_t))next("write"))(file, bytes, count);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int done = ((int (*)(clockid_t, struct timespec *))next("clock_gettime"))(clock, now);
    if (done == 0 && control != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t moved = now->tv_sec * 1000000000LL + now->tv_nsec + control->clock_offset;
        now->tv_sec = moved / 1000000000LL;
        now->tv_nsec = moved % 1000000000LL;
    }
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec found;
    int done = clock_gettime(CLOCK_REALTIME, &found);
    (void)zone;
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return done;
}

time_t time(time_t *into)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into != NULL)
        *into = now.tv_sec;
    return now.tv_sec;
}
