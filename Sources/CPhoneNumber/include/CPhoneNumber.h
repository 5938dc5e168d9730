// A C interface to libphonenumber: reads one telephone number. No C++ exception leaves it, and no input can stop the
// process.

#ifndef CPHONENUMBER_H
#define CPHONENUMBER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Result of reading a text.
enum {
    /// A number in a range of the numbering plan.
    CPHONENUMBER_VALID = 0,
    /// Its length is right for its country, but it is in no range of the numbering plan.
    CPHONENUMBER_POSSIBLE = 1,
    /// Not a number, or not possible in its country.
    CPHONENUMBER_IMPOSSIBLE = 2,
    /// Out of memory, or a fault of the library.
    CPHONENUMBER_FAULT = 3,
};

/// The kind of a number. The values are those of libphonenumber's `PhoneNumberType`.
enum {
    CPHONENUMBER_FIXED_LINE = 0,
    CPHONENUMBER_MOBILE = 1,
    CPHONENUMBER_FIXED_LINE_OR_MOBILE = 2,
    CPHONENUMBER_TOLL_FREE = 3,
    CPHONENUMBER_PREMIUM_RATE = 4,
    CPHONENUMBER_SHARED_COST = 5,
    CPHONENUMBER_VOIP = 6,
    CPHONENUMBER_PERSONAL = 7,
    CPHONENUMBER_PAGER = 8,
    CPHONENUMBER_UAN = 9,
    CPHONENUMBER_VOICEMAIL = 10,
    CPHONENUMBER_UNKNOWN = 11,
};

/// Bytes for `+`, 15 digits and the closing NUL.
#define CPHONENUMBER_E164_SIZE 17

/// Bytes for two letters (or `001`, no country) and the closing NUL.
#define CPHONENUMBER_REGION_SIZE 4

/// The library with the tables of one numbering plan. May be used from any thread.
typedef struct cphonenumber_plan cphonenumber_plan;

/// Creates one, which takes about 10 ms and 4 MB; NULL: out of memory.
///
/// @param tables a `PhoneMetadataCollection` that the caller has checked: the library trusts it, and treats an
///   unreadable one as an empty plan; NULL: the tables that the library was built with
/// @param is_taken receives 1; 0 when the system's library cannot load tables, and uses its own
cphonenumber_plan *cphonenumber_make(const unsigned char *tables, size_t length, int *is_taken);

/// No call with the plan may be running or follow.
void cphonenumber_free(cphonenumber_plan *plan);

/// The plan that is built into the program: the file `numbering-plan`, written by `scripts/numbering-plan`.
const unsigned char *cphonenumber_built_in(size_t *length);

/// Reads a number: `+` and digits, or only digits in the national form of `region`. Any other byte makes it impossible,
/// and so does a dialling prefix for calls abroad (`011`, `00`). May be called from any thread.
///
/// @param text any bytes, `length` of them, no NUL needed
/// @param region two capital letters and a NUL (ISO 3166-1)
/// @param e164 receives the E.164 form and a NUL when the answer is VALID or POSSIBLE, else an empty string;
///   must have room for CPHONENUMBER_E164_SIZE bytes
/// @param type receives the kind of the number; UNKNOWN unless VALID
/// @param home receives the region of the number, the main one of its calling code if it is in no range, an empty
///   string if it has none; must have room for CPHONENUMBER_REGION_SIZE bytes
int cphonenumber_read(
    const cphonenumber_plan *plan, const char *text, size_t length, const char *region, char *e164, int *type, char *home);

/// Reads a number as people in `region` dial it for a call abroad: the region's prefix (`00`, `011`), a country code
/// and the number, digits only. Anything else is impossible. May be called from any thread.
///
/// @param e164 receives the result of `cphonenumber_read` for the number; must have room for CPHONENUMBER_E164_SIZE
///   bytes
int cphonenumber_dialled(
    const cphonenumber_plan *plan, const char *text, size_t length, const char *region, char *e164);

/// Writes the same region as `cphonenumber_read`, for a number that it has read. Takes at most a third of the time of
/// another reading, and almost none if the calling code has one region.
///
/// @param e164 `+` and digits, `length` bytes, no NUL needed
/// @param home as for `cphonenumber_read`
void cphonenumber_region(const cphonenumber_plan *plan, const char *e164, size_t length, char *home);

/// Writes the regions that the library knows, two letters each without separators, sorted, and a NUL. Returns the
/// number of letters, even if `size` is too small; then nothing is written.
size_t cphonenumber_regions(const cphonenumber_plan *plan, char *letters, size_t size);

/// Writes the library's example of a number of `type` in `region`, in E.164 form. Returns 0 when there is one.
int cphonenumber_example(const cphonenumber_plan *plan, const char *region, int type, char *e164);

#ifdef __cplusplus
}
#endif

#endif
