/* Preloaded: notes in a journal what happens to the files of one directory, in order, so that the state that a loss of
   power leaves can be built afterwards: what was synced, and any part of what was not.

   RECORDING_DIRECTORY is the directory, RECORDING_JOURNAL the file that gets the notes. With RECORDING_LIES the calls that
   sync say that they did, and are not noted. An entry is a header, then names (two of them with a zero between), then data.
   It is written before the call it stands for, and a sync after it, so that the end of the process leaves no call unnoted.
   `disk_state.py` reads the journal, and compares it with the directory: a call that is not wrapped here would show there. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct header {
    uint8_t kind, unused;
    uint16_t names;
    uint32_t mode;
    uint64_t inode, place, size;
};

#define MOST_FILES 65536
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char directory[PATH_MAX];
static size_t directory_length;
static int journal = -1, lies;
static uint64_t position;
/* By descriptor: the inode of a file of the directory, or of itself. A call that closes need not be seen: the inode is
   compared each time. */
static _Atomic ino_t opened[MOST_FILES];
static dev_t device;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("RECORDING_DIRECTORY"), *out = getenv("RECORDING_JOURNAL");
    struct stat status;
    if (!path || !out || !realpath(path, directory) || stat(directory, &status) != 0) return;
    directory_length = strlen(directory);
    device = status.st_dev;
    lies = getenv("RECORDING_LIES") != NULL;
    journal = (int)syscall(SYS_openat, AT_FDCWD, out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

static void give_up(const char *why) {
    fprintf(stderr, "recording_calls: %s\n", why);
    abort();
}

/* With the lock. */
static void note(struct header header, const char *names, const void *data) {
    struct iovec parts[] = {{&header, sizeof header}, {(void *)names, header.names}, {(void *)data, data ? header.size : 0}};
    ssize_t size = (ssize_t)(parts[0].iov_len + parts[1].iov_len + parts[2].iov_len);
    if (syscall(SYS_writev, journal, parts, 3) != size) give_up("the journal cannot be written");
    position += (uint64_t)size;
}

static int is_ours(int file, struct stat *status) {
    return journal >= 0 && file >= 0 && file < MOST_FILES && opened[file] != 0 && fstat(file, status) == 0 &&
           status->st_dev == device && status->st_ino == opened[file];
}

/* The name of a file of the directory; NULL: it is none. */
static const char *name_in_directory(const char *path, char *buffer) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (journal < 0 || !*name || strlen(path) >= PATH_MAX) return NULL;
    char folder[PATH_MAX];
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(folder, path, length);
    folder[length] = 0;
    if (!realpath(length ? folder : ".", buffer) || strcmp(buffer, directory) != 0) return NULL;
    return name;
}

static int open_and_note(const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *name = name_in_directory(path, buffer);
    struct stat status;
    if (!name || (stat(path, &status) == 0 && S_ISDIR(status.st_mode))) {
        int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
        /* It may be the directory itself, for a sync of its names. */
        if (journal >= 0 && file >= 0 && file < MOST_FILES)
            opened[file] = realpath(path, buffer) && strcmp(buffer, directory) == 0 && fstat(file, &status) == 0 ? status.st_ino : 0;
        return file;
    }
    pthread_mutex_lock(&lock);
    int is_new = (flags & O_CREAT) && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file >= MOST_FILES) give_up("too many files");
    if (file >= 0 && fstat(file, &status) == 0) {
        opened[file] = S_ISREG(status.st_mode) ? status.st_ino : 0;
        if (opened[file]) {
            struct header header = {is_new ? 'C' : 'O', 0, (uint16_t)strlen(name), status.st_mode & 0777, status.st_ino, 0, 0};
            note(header, name, NULL);
            if (!is_new && (flags & O_TRUNC)) note((struct header){'T', 0, 0, 0, status.st_ino, 0, 0}, NULL, NULL);
        }
    }
    pthread_mutex_unlock(&lock);
    return file;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_and_note(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_and_note(path, flags, mode);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    struct stat status;
    if (!is_ours(file, &status)) return syscall(SYS_pwrite64, file, bytes, count, place);
    pthread_mutex_lock(&lock);
    note((struct header){'W', 0, 0, 0, status.st_ino, (uint64_t)place, count}, NULL, bytes);
    ssize_t written = syscall(SYS_pwrite64, file, bytes, count, place);
    if (written != (ssize_t)count) give_up("a write failed, and the journal has it");
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) { return pwrite64(file, bytes, count, place); }

ssize_t write(int file, const void *bytes, size_t count) {
    struct stat status;
    if (!is_ours(file, &status)) return syscall(SYS_write, file, bytes, count);
    pthread_mutex_lock(&lock);
    int appends = fcntl(file, F_GETFL) & O_APPEND;
    off_t place = appends && fstat(file, &status) == 0 ? status.st_size : lseek(file, 0, SEEK_CUR);
    note((struct header){'W', 0, 0, 0, status.st_ino, (uint64_t)place, count}, NULL, bytes);
    ssize_t written = syscall(SYS_write, file, bytes, count);
    if (written != (ssize_t)count) give_up("a write failed, and the journal has it");
    pthread_mutex_unlock(&lock);
    return written;
}

int ftruncate64(int file, off64_t size) {
    struct stat status;
    if (!is_ours(file, &status)) return (int)syscall(SYS_ftruncate, file, size);
    pthread_mutex_lock(&lock);
    note((struct header){'T', 0, 0, 0, status.st_ino, (uint64_t)size, 0}, NULL, NULL);
    if (syscall(SYS_ftruncate, file, size) != 0) give_up("a truncation failed, and the journal has it");
    pthread_mutex_unlock(&lock);
    return 0;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

/* A sync covers what was noted when it began. It is noted when it is over, with that place in the journal. */
static int sync_and_note(int file, long call) {
    struct stat status;
    if (!is_ours(file, &status)) return (int)syscall(call, file);
    pthread_mutex_lock(&lock);
    uint64_t began = position;
    pthread_mutex_unlock(&lock);
    if (lies) return 0;
    int result = (int)syscall(call, file);
    if (result == 0) {
        pthread_mutex_lock(&lock);
        note((struct header){S_ISDIR(status.st_mode) ? 'D' : 'S', 0, 0, 0, status.st_ino, began, 0}, NULL, NULL);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

int fsync(int file) { return sync_and_note(file, SYS_fsync); }
int fdatasync(int file) { return sync_and_note(file, SYS_fdatasync); }

void *mmap64(void *at, size_t size, int protection, int flags, int file, off64_t place) {
    struct stat status;
    if ((flags & MAP_SHARED) && (protection & PROT_WRITE) && is_ours(file, &status)) {
        pthread_mutex_lock(&lock);
        note((struct header){'M', 0, 0, 0, status.st_ino, 0, 0}, NULL, NULL);
        pthread_mutex_unlock(&lock);
    }
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, place);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t place) {
    return mmap64(at, size, protection, flags, file, place);
}

int unlink(const char *path) {
    char buffer[PATH_MAX];
    const char *name = name_in_directory(path, buffer);
    struct stat status;
    if (!name || lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&lock);
    note((struct header){'U', 0, (uint16_t)strlen(name), 0, 0, 0, 0}, name, NULL);
    if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) != 0) give_up("a removal failed, and the journal has it");
    pthread_mutex_unlock(&lock);
    return 0;
}

static int name_again(const char *from, const char *to, char kind) {
    char buffer[PATH_MAX], names[2 * NAME_MAX + 2];
    const char *first = name_in_directory(from, buffer), *second = name_in_directory(to, buffer);
    if (!first != !second) give_up("a file is moved over the border of the directory");
    pthread_mutex_lock(&lock);
    /* A link that is there already fails as it may. */
    if (first && (kind == 'R' || faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) != 0)) {
        int length = snprintf(names, sizeof names, "%s%c%s", first, 0, second);
        note((struct header){(uint8_t)kind, 0, (uint16_t)length, 0, 0, 0, 0}, names, NULL);
    }
    long result = kind == 'R' ? syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0)
                              : syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (first && result != 0 && !(kind == 'L' && errno == EEXIST)) give_up("a renaming failed, and the journal has it");
    pthread_mutex_unlock(&lock);
    return (int)result;
}

int rename(const char *from, const char *to) { return name_again(from, to, 'R'); }
int link(const char *from, const char *to) { return name_again(from, to, 'L'); }
