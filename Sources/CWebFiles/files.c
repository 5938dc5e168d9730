#include "CWebFiles.h"

// The directive is of C23; Swift's clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char module[] = {
#embed "sdk/holdfast.js"
};
static const unsigned char script[] = {
#embed "sdk/holdfast.global.js"
};
static const cwebfiles_file files[] = {
    {"sdk/holdfast.js", module, sizeof module},
    {"sdk/holdfast.global.js", script, sizeof script},
};

const cwebfiles_file *cwebfiles_at(int index) {
    return index >= 0 && index < (int)(sizeof files / sizeof files[0]) ? &files[index] : NULL;
}
