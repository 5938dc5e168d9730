// The disk below the server's data directory. Files are real ones in memory, and so is the page cache: what a call has
// written can be read at once. Beside each file stands what a loss of power would leave of it for sure, and every write
// since then.
#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512, MOST_DESCRIPTORS = 65536 };

typedef struct Write {
    struct Write *next;
    size_t offset, count;
    bool is_cut;        // the file was cut or made longer to `offset`
    bool is_forgotten;  // a sync has failed: no later one makes it durable
    unsigned char bytes[];
} Write;

typedef struct File {
    struct File *next;
    dev_t device;
    ino_t inode;
    char name[64];
    unsigned char *durable;
    size_t durable_size, room;
    Write *first, *last;
} File;

static char folder[64];
static size_t folder_length;
static File *files;
static File *opened[MOST_DESCRIPTORS];
static int generation;

void machine_disk_begin(const char *name) {
    snprintf(folder, sizeof folder, "%s", name);
    folder_length = strlen(folder);
}

// MARK: The durable image

static void make_room(File *file, size_t size) {
    if (size <= file->room) return;
    size_t room = file->room ? file->room : 65536;
    while (room < size) room *= 2;
    file->durable = realloc(file->durable, room);
    memset(file->durable + file->room, 0, room - file->room);
    file->room = room;
}

static void set_size(File *file, size_t size) {
    make_room(file, size);
    if (size < file->durable_size) memset(file->durable + size, 0, file->durable_size - size);
    file->durable_size = size;
}

static void apply(File *file, const Write *write) {
    if (write->is_cut) {
        set_size(file, write->offset);
        return;
    }
    size_t end = write->offset + write->count;
    if (end > file->durable_size) set_size(file, end);
    memcpy(file->durable + write->offset, write->bytes, write->count);
}

static void make_durable(File *file) {
    Write *kept = NULL, *last = NULL, *next;
    for (Write *write = file->first; write; write = next) {
        next = write->next;
        if (write->is_forgotten) {
            write->next = NULL;
            if (last) last->next = write;
            else kept = write;
            last = write;
            continue;
        }
        apply(file, write);
        free(write);
    }
    file->first = kept;
    file->last = last;
}

static void note_write(File *file, const void *bytes, size_t count, size_t offset, bool is_cut) {
    Write *write = malloc(sizeof *write + count);
    *write = (Write){.offset = offset, .count = count, .is_cut = is_cut};
    if (count > 0) memcpy(write->bytes, bytes, count);
    if (file->last) file->last->next = write;
    else file->first = write;
    file->last = write;
}

// MARK: Which calls are looked at

static bool is_ours(const char *path) {
    return folder_length > 0 && path && strstr(path, folder) && strstr(path, folder)[folder_length] == '/'
        && !strstr(path, "-shm");
}

static File *file_of(int descriptor) {
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? opened[descriptor] : NULL;
}

static void know(int descriptor, const char *path) {
    struct stat status;
    if (descriptor < 0 || descriptor >= MOST_DESCRIPTORS || !is_ours(path)) return;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
    File *file = files;
    while (file && (file->device != status.st_dev || file->inode != status.st_ino)) file = file->next;
    if (!file) {
        file = calloc(1, sizeof *file);
        file->device = status.st_dev;
        file->inode = status.st_ino;
        const char *name = strrchr(path, '/');
        snprintf(file->name, sizeof file->name, "%s", name ? name + 1 : path);
        file->next = files;
        files = file;
        // What it has at the start is durable.
        set_size(file, (size_t)status.st_size);
        ssize_t (*read_at)(int, void *, size_t, off_t) = machine_real("pread64");
        size_t done = 0;
        while (done < (size_t)status.st_size) {
            ssize_t got = read_at(descriptor, file->durable + done, (size_t)status.st_size - done, (off_t)done);
            if (got <= 0) break;
            done += (size_t)got;
        }
    }
    opened[descriptor] = file;
}

static bool goes_wrong(uint32_t probability, const char *what, const File *file) {
    if (probability == 0 || machine_draw_disk(65536) >= probability) return false;
    machine_count.faults++;
    machine_notef("disk: %s of %s", what, file ? file->name : "a file");
    return true;
}

static int fail(int code) {
    errno = code;
    return -1;
}

// MARK: The calls

static int open_it(const char *path, int flags, mode_t mode) {
    static int (*real)(const char *, int, ...);
    if (!real) real = machine_real("open64");
    if (machine_lane && machine_lane->of_server && is_ours(path) && machine_wrong.open_error > 0) {
        machine_count.file_calls++;
        if (goes_wrong(machine_wrong.open_error, "open fails", NULL)) return fail(machine_draw_disk(2) ? EIO : EMFILE);
    }
    int descriptor = real(path, flags, mode);
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) opened[descriptor] = NULL;
    if (machine_lane && machine_lane->of_server) know(descriptor, path);
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_it(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_it(path, flags, mode);
}

void machine_forget_descriptor(int descriptor);

int close(int descriptor) {
    static int (*real)(int);
    if (!real) real = machine_real("close");
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) opened[descriptor] = NULL;
    machine_forget_descriptor(descriptor);
    return real(descriptor);
}

static ssize_t write_it(File *file, int descriptor, const void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = machine_real("pwrite64");
    machine_count.file_calls++;
    machine_spend(2000);
    if (goes_wrong(machine_wrong.write_error, "write fails", file)) return fail(EIO);
    if (goes_wrong(machine_wrong.no_space, "no space for a write", file)) return fail(ENOSPC);
    if (count > 1 && goes_wrong(machine_wrong.short_write, "short write", file)) count = 1 + machine_draw_disk(count - 1);
    ssize_t result = real(descriptor, bytes, count, offset);
    if (result > 0) note_write(file, bytes, (size_t)result, (size_t)offset, false);
    machine_notef("write %s %zu+%zu", file->name, (size_t)offset, count);
    return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    File *file = file_of(descriptor);
    if (file) return write_it(file, descriptor, bytes, count, offset);
    if (!real) real = machine_real("pwrite64");
    return real(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite64(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    File *file = file_of(descriptor);
    if (!real) real = machine_real("write");
    if (!file) return real(descriptor, bytes, count);
    off_t offset = lseek(descriptor, 0, SEEK_CUR);
    ssize_t result = write_it(file, descriptor, bytes, count, offset);
    if (result > 0) lseek(descriptor, offset + result, SEEK_SET);
    return result;
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    File *file = file_of(descriptor);
    if (!real) real = machine_real("pread64");
    if (file) {
        machine_count.file_calls++;
        if (goes_wrong(machine_wrong.read_error, "read fails", file)) return fail(EIO);
    }
    return real(descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return pread64(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off_t size) {
    static int (*real)(int, off_t);
    File *file = file_of(descriptor);
    if (!real) real = machine_real("ftruncate64");
    if (!file) return real(descriptor, size);
    machine_count.file_calls++;
    if (goes_wrong(machine_wrong.truncate_error, "cut fails", file)) return fail(EIO);
    int result = real(descriptor, size);
    if (result == 0) note_write(file, NULL, 0, (size_t)size, true);
    machine_notef("cut %s at %lld", file->name, (long long)size);
    return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int sync_it(int descriptor) {
    File *file = file_of(descriptor);
    if (!file) return 0;
    machine_count.file_calls++;
    machine_count.syncs++;
    uint64_t range = machine_wrong.sync_most_us > machine_wrong.sync_least_us
        ? machine_wrong.sync_most_us - machine_wrong.sync_least_us : 0;
    uint64_t microseconds = machine_wrong.sync_least_us + (range ? machine_draw_disk(range) : 0);
    machine_notef("sync %s, %llu us", file->name, (unsigned long long)microseconds);
    // What is written meanwhile is not covered.
    Write *covered = file->last;
    if (microseconds > 0) machine_sleep(microseconds * 1000);
    if (machine_wrong.sync_lies) {
        machine_count.faults++;
        return 0;
    }
    if (goes_wrong(machine_wrong.sync_error, "sync fails", file)) {
        // Linux reports it once; the pages count as clean afterwards.
        for (Write *write = file->first; write; write = write->next) write->is_forgotten = true;
        return fail(EIO);
    }
    Write *rest = covered ? covered->next : file->first, *last = file->last;
    if (!covered) return 0;
    covered->next = NULL;
    file->last = covered;
    make_durable(file);
    if (rest) {
        if (file->last) file->last->next = rest;
        else file->first = rest;
        file->last = last;
    }
    return 0;
}

int fsync(int descriptor) { return sync_it(descriptor); }
int fdatasync(int descriptor) { return sync_it(descriptor); }

// MARK: The end of a server

static void lose_power(File *file, const char *path) {
    // Each sector that was not synced is there or not. Of two writes to one sector the later may be there without the
    // earlier, and the other way round.
    for (Write *write = file->first; write; write = write->next) {
        if (write->is_cut) {
            if (machine_draw_disk(2)) apply(file, write);
            continue;
        }
        size_t at = 0;
        while (at < write->count) {
            size_t part = SECTOR - (write->offset + at) % SECTOR;
            if (part > write->count - at) part = write->count - at;
            if (machine_draw_disk(2)) {
                machine_count.kept_sectors++;
                size_t end = write->offset + at + part;
                if (end > file->durable_size) set_size(file, end);
                memcpy(file->durable + write->offset + at, write->bytes + at, part);
            } else {
                machine_count.lost_sectors++;
            }
            at += part;
        }
    }
    FILE *out = fopen(path, "w");
    if (!out) return;
    fwrite(file->durable, 1, file->durable_size, out);
    fclose(out);
    chmod(path, 0600);
}

static void copy(const char *from, const char *to, mode_t mode) {
    static char block[65536];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    size_t count;
    while (in && out && (count = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, count, out);
    if (in) fclose(in);
    if (out) fclose(out);
    chmod(to, mode & 0777);
}

static int by_name(const struct dirent **one, const struct dirent **other) {
    return strcmp((*one)->d_name, (*other)->d_name);
}

// The old files stay under another name: the descriptors of the dead server keep them, and their locks, to themselves.
void machine_crash_disk(enum machine_end_of_life how) {
    char dead[128];
    struct dirent **names;
    snprintf(dead, sizeof dead, "%s.%d", folder, generation++);
    if (rename(folder, dead) != 0 || mkdir(folder, 0700) != 0) {
        fprintf(stderr, "simulation: the data directory does not move: %s\n", strerror(errno));
        abort();
    }
    int count = scandir(dead, &names, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char from[512], to[512];
        struct stat status;
        snprintf(from, sizeof from, "%s/%s", dead, names[i]->d_name);
        snprintf(to, sizeof to, "%s/%s", folder, names[i]->d_name);
        if (lstat(from, &status) == 0 && S_ISREG(status.st_mode)) {
            File *file = files;
            while (file && (file->device != status.st_dev || file->inode != status.st_ino)) file = file->next;
            bool is_index = strstr(names[i]->d_name, "-shm") != NULL;
            if (how == MACHINE_KILLED || !file) {
                if (how == MACHINE_KILLED || !is_index) copy(from, to, status.st_mode);
            } else {
                lose_power(file, to);
            }
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
    // The dead server's files are of no more interest; those of the next have other inodes.
    for (int i = 0; i < MOST_DESCRIPTORS; i++) opened[i] = NULL;
    while (files) {
        File *file = files;
        files = file->next;
        while (file->first) {
            Write *write = file->first;
            file->first = write->next;
            free(write);
        }
        free(file->durable);
        free(file);
    }
}
