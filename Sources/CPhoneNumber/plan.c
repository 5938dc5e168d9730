#include "CPhoneNumber.h"

// The directive belongs to C23; Swift's clang supports it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char plan[] = {
#embed "numbering-plan"
};

const unsigned char *cphonenumber_built_in(size_t *length) {
    *length = sizeof plan;
    return plan;
}
