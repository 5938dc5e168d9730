// The machine below the simulated server: one scheduler, one clock, one disk and one network, all drawn from a seed.
//
// The program that links it replaces system calls by functions of the same name: clocks, sleep, random bytes, files,
// sockets, Dispatch and threads. What runs above is the server as it is, without a change. All of it runs in lanes: a lane
// is a thread of which only one runs at a time, and the scheduler picks the next by the seed.
#ifndef HOLDFAST_MACHINE_H
#define HOLDFAST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Runs the program again where addresses and hashes are the same each time. Call it first.
void machine_settle(char **arguments);

// Begins. Time starts at `wall_ms` since 1970. `folder` holds the data of the server, as a relative path.
void machine_begin(uint64_t seed, int64_t wall_ms, const char *folder);
// True: every line of the trace is printed.
void machine_print_trace(bool on);
// Lets lanes run until `machine_end` was called, or nothing can ever run again. True: ended as asked for.
bool machine_run(void);
void machine_end(void);

// Random numbers of the world, apart from those of the scheduler and of the disk.
uint64_t machine_random(void);
uint64_t machine_now(void);      // nanoseconds, monotonic
int64_t machine_wall_ms(void);   // what the clock on the wall shows
void machine_step_wall(int64_t milliseconds);

// Adds a line to the trace, and to its hash.
void machine_note(const char *line);
uint64_t machine_trace_hash(void);
uint64_t machine_trace_lines(void);
// The last lines, oldest first; `index` from 0. NULL: there is none.
const char *machine_trace_line(size_t index);

// A caller, an operator or a carrier: a lane that outlives the server. `run(context)` is called once.
void machine_spawn(const char *name, void (*run)(void *), void *context);
void machine_sleep(uint64_t nanoseconds);
// Waits until the socket can be read, at most until `deadline`. False: the time is over.
bool machine_wait_readable(int socket, uint64_t deadline);

// Connections of callers to the server. Negative: nobody listens.
int machine_connect(uint16_t port, uint8_t address);
int machine_connect_local(const char *path);
long machine_send(int socket, const void *bytes, size_t count);
// 0: end of the stream; -1: nothing has come; -2: broken.
long machine_receive(int socket, void *bytes, size_t count);
void machine_close(int socket);

// What goes wrong at calls on the files of the server, each with a probability in 65536.
typedef struct {
    uint32_t read_error, write_error, no_space, short_write, sync_error, truncate_error, open_error;
    // How long a sync takes, in microseconds.
    uint32_t sync_least_us, sync_most_us;
    // A sync that says yes and does nothing. For control runs: what was acknowledged may then be lost.
    bool sync_lies;
} machine_faults;

void machine_set_faults(machine_faults faults);

// How often a lane of the server gives way before and after a lock, in 65536, and for how long at most.
void machine_set_preemption(uint32_t probability, uint64_t longest_ns);

// Reads the database as another program would, in one transaction that stays open so long. In a lane of the world.
void machine_read_database(const char *path, uint64_t nanoseconds);

enum machine_end_of_life {
    MACHINE_KILLED,      // the process is gone; what it wrote stays
    MACHINE_POWER_LOST,  // what was not synced is there or not, sector by sector
};

// The server's lanes, timers and sockets are gone, and the files are what such an end leaves.
void machine_crash(enum machine_end_of_life how);
// The same for a process that ends itself, from one of its own lanes. Does not return.
void machine_die(void) __attribute__((noreturn));

typedef struct {
    uint64_t steps, preemptions, file_calls, faults, syncs, lost_sectors, kept_sectors;
} machine_figures;

machine_figures machine_get_figures(void);

#endif
