/* Preloaded: when SQLite asks for memory it gets none, at the times that failing.h names. Nobody else's memory is touched: who
   asks is told by the address that the call came from. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdint.h>

#include "failing.h"

extern void *__libc_malloc(size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static uintptr_t sqlite_start, sqlite_end;

static int find(struct dl_phdr_info *library, size_t size, void *unused) {
    if (!strstr(library->dlpi_name, "libsqlite3")) return 0;
    for (int part = 0; part < library->dlpi_phnum; part++) {
        const ElfW(Phdr) *header = &library->dlpi_phdr[part];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        sqlite_start = library->dlpi_addr + header->p_vaddr;
        sqlite_end = sqlite_start + header->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    dl_iterate_phdr(find, NULL);
    read_failing();
}

static int fails(void *caller) {
    uintptr_t place = (uintptr_t)caller;
    if (place < sqlite_start || place >= sqlite_end || !is_failing()) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes); }

void *realloc(void *old, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
