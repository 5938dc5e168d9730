#include "CPhoneNumber.h"

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string>

using i18n::phonenumbers::Logger;
using i18n::phonenumbers::NullLogger;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

static_assert(CPHONENUMBER_FIXED_LINE == PhoneNumberUtil::FIXED_LINE, "types differ");
static_assert(CPHONENUMBER_MOBILE == PhoneNumberUtil::MOBILE, "types differ");
static_assert(CPHONENUMBER_FIXED_LINE_OR_MOBILE == PhoneNumberUtil::FIXED_LINE_OR_MOBILE, "types differ");
static_assert(CPHONENUMBER_TOLL_FREE == PhoneNumberUtil::TOLL_FREE, "types differ");
static_assert(CPHONENUMBER_PREMIUM_RATE == PhoneNumberUtil::PREMIUM_RATE, "types differ");
static_assert(CPHONENUMBER_SHARED_COST == PhoneNumberUtil::SHARED_COST, "types differ");
static_assert(CPHONENUMBER_VOIP == PhoneNumberUtil::VOIP, "types differ");
static_assert(CPHONENUMBER_PERSONAL == PhoneNumberUtil::PERSONAL_NUMBER, "types differ");
static_assert(CPHONENUMBER_PAGER == PhoneNumberUtil::PAGER, "types differ");
static_assert(CPHONENUMBER_UAN == PhoneNumberUtil::UAN, "types differ");
static_assert(CPHONENUMBER_VOICEMAIL == PhoneNumberUtil::VOICEMAIL, "types differ");
static_assert(CPHONENUMBER_UNKNOWN == PhoneNumberUtil::UNKNOWN, "types differ");

namespace {

/// The tables that the library gets next on this thread; `bytes` is null: those that it was built with.
struct Tables {
    const void *bytes;
    int size;
    /// The library has asked for them.
    bool taken;
};

thread_local Tables next_tables = {nullptr, 0, false};

/// A function of the library that one of ours stands before.
template <typename Function>
Function behind(const char *name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace i18n {
namespace phonenumbers {

// The library asks these two for its tables. They are its own functions too: the program comes before a shared library
// in the order in which names are looked up, so that ours are called.

int metadata_size() {
    if (next_tables.bytes != nullptr) return next_tables.size;
    const auto own = behind<int (*)()>("_ZN4i18n12phonenumbers13metadata_sizeEv");
    return own != nullptr ? own() : 0;
}

const void *metadata_get() {
    next_tables.taken = true;
    if (next_tables.bytes != nullptr) return next_tables.bytes;
    const auto own = behind<const void *(*)()>("_ZN4i18n12phonenumbers12metadata_getEv");
    return own != nullptr ? own() : "";
}

/// Makes and frees instances: the library lets its tests do so.
class PhoneNumberUtilTest {
   public:
    static PhoneNumberUtil *make() {
        PhoneNumberUtil *const made = new PhoneNumberUtil();
        // One logger serves the whole library, and each instance makes one: it must outlive its instance. By itself the
        // library writes what it cannot parse to standard output.
        static NullLogger *const mute = new NullLogger();
        made->SetLogger(new NullLogger());
        (void)made->logger_.release();
        Logger::set_logger_impl(mute);
        return made;
    }

    static void free(PhoneNumberUtil *instance) { delete instance; }
};

}  // namespace phonenumbers
}  // namespace i18n

using i18n::phonenumbers::PhoneNumberUtilTest;

/// The library with one set of tables.
struct cphonenumber_plan {
    PhoneNumberUtil *library;
};

namespace {

/// The digits of an optional `+` and 2 to 15 ASCII digits, else 0. The library itself would take letters, extensions
/// and the digits of all scripts.
size_t count_plain_digits(const std::string &text) {
    const size_t start = !text.empty() && text[0] == '+' ? 1 : 0;
    const size_t digits = text.size() - start;
    const bool plain = text.find_first_not_of("0123456789", start) == std::string::npos;
    return plain && digits >= 2 && digits <= 15 ? digits : 0;
}

/// Whether the number was written with `+`, or in national form; not after a prefix for calls abroad. `1` and ten
/// digits is national form in North America, where the country code is the national prefix as well; the library would
/// take both, one after the other.
bool is_accepted_form(const PhoneNumber &number, size_t digits) {
    constexpr size_t north_american_digits = 11;
    if (number.country_code() == 1 && digits > north_american_digits) return false;
    switch (number.country_code_source()) {
        case PhoneNumber::FROM_NUMBER_WITH_PLUS_SIGN:
        case PhoneNumber::FROM_DEFAULT_COUNTRY:
            return true;
        case PhoneNumber::FROM_NUMBER_WITHOUT_PLUS_SIGN:
            return number.country_code() == 1;
        default:
            return false;
    }
}

/// Writes the E.164 form; `false` when it is longer than the standard allows.
bool write_e164(const PhoneNumberUtil &library, const PhoneNumber &number, char *e164) {
    std::string text;
    library.Format(number, PhoneNumberUtil::E164, &text);
    if (text.empty() || text.size() >= CPHONENUMBER_E164_SIZE) return false;
    std::memcpy(e164, text.c_str(), text.size() + 1);
    return true;
}

/// Writes the region of a number, if it has one of two letters. A number that is in no range is of the region that its
/// calling code mainly stands for.
void write_home(const PhoneNumberUtil &library, const PhoneNumber &number, char *home) {
    std::string region;
    library.GetRegionCodeForNumber(number, &region);
    if (region == "ZZ") library.GetRegionCodeForCountryCode(number.country_code(), &region);
    if (region.size() != 2 || region == "ZZ") region.clear();
    std::memcpy(home, region.c_str(), region.size() + 1);
}

int read_once(
    const PhoneNumberUtil &library, const std::string &text, const std::string &region, char *e164, int *type,
    char *home) {
    const size_t digits = count_plain_digits(text);
    if (digits == 0) return CPHONENUMBER_IMPOSSIBLE;
    PhoneNumber number;
    if (library.ParseAndKeepRawInput(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) {
        return CPHONENUMBER_IMPOSSIBLE;
    }
    if (!is_accepted_form(number, digits)) return CPHONENUMBER_IMPOSSIBLE;
    // A number without its area code is "possible, local only", and useless to a carrier.
    if (library.IsPossibleNumberWithReason(number) != PhoneNumberUtil::IS_POSSIBLE) return CPHONENUMBER_IMPOSSIBLE;
    if (!write_e164(library, number, e164)) return CPHONENUMBER_IMPOSSIBLE;
    // The type is unknown exactly when no range of the plan has the number.
    *type = library.GetNumberType(number);
    write_home(library, number, home);
    return *type == CPHONENUMBER_UNKNOWN ? CPHONENUMBER_POSSIBLE : CPHONENUMBER_VALID;
}

/// Takes away the 1 that mobile numbers of Mexico had before their ten digits until 2019, and that address books and
/// messengers still write. Plans of since 2024 no longer know it, and no number of Mexico begins with 1.
bool drop_former_one(std::string *text, const std::string &region) {
    constexpr size_t digits = 10;
    const std::string code = "+52";
    const size_t start = text->compare(0, code.size(), code) == 0 ? code.size() : 0;
    if (start == 0 && region != "MX") return false;
    if (text->size() <= start + digits || (*text)[start] != '1') return false;
    text->erase(start, 1);
    return true;
}

/// Reads what the library made of a number again until nothing changes, so that one number has one E.164 form: by an older
/// plan, Mexico's `+52 1 1 …` is first read as a number that begins with 1, and then without it.
int read(
    const PhoneNumberUtil &library, std::string text, const std::string &region, char *e164, int *type, char *home) {
    constexpr int readings = 4;
    for (int reading = 0; reading < readings; reading++) {
        const int status = read_once(library, text, region, e164, type, home);
        if (status == CPHONENUMBER_IMPOSSIBLE && drop_former_one(&text, region)) continue;
        const bool is_number = status == CPHONENUMBER_VALID || status == CPHONENUMBER_POSSIBLE;
        // North American numbers begin with no digit that could be taken for a prefix: one reading is enough.
        if (!is_number || text == e164 || std::strncmp(e164, "+1", 2) == 0) return status;
        text = e164;
    }
    e164[0] = '\0';
    home[0] = '\0';
    *type = CPHONENUMBER_UNKNOWN;
    return CPHONENUMBER_IMPOSSIBLE;
}

/// The number of an E.164 form, without the expressions that reading a text takes; `false` when it is none.
bool take_apart(const PhoneNumberUtil &library, const std::string &text, PhoneNumber *number) {
    constexpr size_t longest_code = 3;
    if (text.empty() || text[0] != '+' || count_plain_digits(text) == 0) return false;
    int code = 0;
    for (size_t digit = 1; digit <= longest_code && digit < text.size(); digit++) {
        code = code * 10 + (text[digit] - '0');
        std::string region;
        library.GetRegionCodeForCountryCode(code, &region);
        if (region == "ZZ") continue;
        const std::string national = text.substr(digit + 1);
        if (national.empty()) return false;
        // Leading zeros are digits of the number in some countries, such as Italy.
        const size_t zeros = std::min(national.find_first_not_of('0'), national.size() - 1);
        number->set_country_code(code);
        number->set_national_number(std::stoull(national));
        if (zeros > 0) number->set_italian_leading_zero(true);
        if (zeros > 1) number->set_number_of_leading_zeros(static_cast<int>(zeros));
        return true;
    }
    return false;
}

}  // namespace

cphonenumber_plan *cphonenumber_make(const unsigned char *tables, size_t length, int *is_taken) {
    static std::mutex one_at_a_time;
    constexpr size_t most = 64u << 20;
    *is_taken = 0;
    if (length > most) return nullptr;
    try {
        const std::lock_guard<std::mutex> guard(one_at_a_time);
        std::unique_ptr<cphonenumber_plan> plan(new cphonenumber_plan{nullptr});
        next_tables = {tables, static_cast<int>(length), false};
        plan->library = PhoneNumberUtilTest::make();
        *is_taken = next_tables.taken ? 1 : 0;
        next_tables = {nullptr, 0, false};
        return plan.release();
    } catch (...) {
        next_tables = {nullptr, 0, false};
        return nullptr;
    }
}

void cphonenumber_free(cphonenumber_plan *plan) {
    if (plan == nullptr) return;
    PhoneNumberUtilTest::free(plan->library);
    delete plan;
}

int cphonenumber_read(
    const cphonenumber_plan *plan, const char *text, size_t length, const char *region, char *e164, int *type, char *home) {
    e164[0] = '\0';
    home[0] = '\0';
    *type = CPHONENUMBER_UNKNOWN;
    // Longer than any number, so that a huge text is not even copied.
    if (length > CPHONENUMBER_E164_SIZE) return CPHONENUMBER_IMPOSSIBLE;
    try {
        return read(*plan->library, std::string(text, length), region, e164, type, home);
    } catch (...) {
        e164[0] = '\0';
        return CPHONENUMBER_FAULT;
    }
}

int cphonenumber_dialled(
    const cphonenumber_plan *plan, const char *text, size_t length, const char *region, char *e164) {
    constexpr size_t longest_prefix = 5;
    e164[0] = '\0';
    if (length > longest_prefix + CPHONENUMBER_E164_SIZE) return CPHONENUMBER_IMPOSSIBLE;
    try {
        const std::string digits(text, length);
        if (digits.find_first_not_of("0123456789") != std::string::npos) return CPHONENUMBER_IMPOSSIBLE;
        const PhoneNumberUtil &library = *plan->library;
        PhoneNumber number;
        if (library.ParseAndKeepRawInput(digits, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR ||
            number.country_code_source() != PhoneNumber::FROM_NUMBER_WITH_IDD || !write_e164(library, number, e164)) {
            e164[0] = '\0';
            return CPHONENUMBER_IMPOSSIBLE;
        }
        const std::string international = e164;
        int type = CPHONENUMBER_UNKNOWN;
        char home[CPHONENUMBER_REGION_SIZE];
        return read(library, international, region, e164, &type, home);
    } catch (...) {
        e164[0] = '\0';
        return CPHONENUMBER_FAULT;
    }
}

void cphonenumber_region(const cphonenumber_plan *plan, const char *e164, size_t length, char *home) {
    home[0] = '\0';
    if (length >= CPHONENUMBER_E164_SIZE) return;
    try {
        PhoneNumber number;
        const PhoneNumberUtil &library = *plan->library;
        if (take_apart(library, std::string(e164, length), &number)) write_home(library, number, home);
    } catch (...) {
        home[0] = '\0';
    }
}

size_t cphonenumber_regions(const cphonenumber_plan *plan, char *letters, size_t size) {
    try {
        std::set<std::string> regions;
        plan->library->GetSupportedRegions(&regions);
        std::string joined;
        for (const std::string &region : regions) joined += region;
        if (joined.size() < size) std::memcpy(letters, joined.c_str(), joined.size() + 1);
        return joined.size();
    } catch (...) {
        return 0;
    }
}

int cphonenumber_example(const cphonenumber_plan *plan, const char *region, int type, char *e164) {
    e164[0] = '\0';
    if (type < CPHONENUMBER_FIXED_LINE || type >= CPHONENUMBER_UNKNOWN) return CPHONENUMBER_IMPOSSIBLE;
    try {
        const PhoneNumberUtil &library = *plan->library;
        PhoneNumber number;
        const auto kind = static_cast<PhoneNumberUtil::PhoneNumberType>(type);
        if (!library.GetExampleNumberForType(region, kind, &number)) return CPHONENUMBER_IMPOSSIBLE;
        return write_e164(library, number, e164) ? CPHONENUMBER_VALID : CPHONENUMBER_IMPOSSIBLE;
    } catch (...) {
        e164[0] = '\0';
        return CPHONENUMBER_FAULT;
    }
}
