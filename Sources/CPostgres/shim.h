// libpq 15 or later.
#ifndef HOLDFAST_CPOSTGRES_H
#define HOLDFAST_CPOSTGRES_H

#include <libpq-fe.h>

#endif
