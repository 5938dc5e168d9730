#include "load.h"

#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*run)(int, char **);
    } commands[] = {{"rate", run_rate},
                  {"overload", run_overload},
                  {"sessions", run_sessions},
                  {"idle", run_idle},
                  {"crypto", run_crypto}};
    int status = 64;
    for (size_t i = 0; count > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(arguments[1], commands[i].name) == 0) status = commands[i].run(count - 2, arguments + 2);
    if (status == 64)
        fprintf(stderr,
                "usage: load rate PORT RATE SECONDS CONNECTIONS REQUEST-FILE\n"
                "       load overload PORT PATIENCE-MS CONNECTIONS REQUEST-FILE RATE:SECONDS...\n"
                "       load sessions PORT SECONDS CONNECTIONS ACCESS-TOKEN|- NUMBERS-FILE [device-key] [unanswered] [apart PID [WINDOWS]]\n"
                "       load idle PORT COUNT\n"
                "       load crypto\n");
    return status;
}
