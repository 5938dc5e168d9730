#include "CPhoneNumber.h"

#include <phonenumbers/logger.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>

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

/// The one instance, muted before anybody uses it: by itself the library writes what it cannot parse to standard
/// output.
const PhoneNumberUtil &library() {
    static const PhoneNumberUtil *const instance = [] {
        PhoneNumberUtil *const made = PhoneNumberUtil::GetInstance();
        made->SetLogger(new NullLogger());
        return made;
    }();
    return *instance;
}

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
bool write_e164(const PhoneNumber &number, char *e164) {
    std::string text;
    library().Format(number, PhoneNumberUtil::E164, &text);
    if (text.empty() || text.size() >= CPHONENUMBER_E164_SIZE) return false;
    std::memcpy(e164, text.c_str(), text.size() + 1);
    return true;
}

/// Writes the region of a number, if it has one of two letters.
void write_home(const PhoneNumber &number, char *home) {
    std::string region;
    library().GetRegionCodeForNumber(number, &region);
    if (region.size() != 2 || region == "ZZ") region.clear();
    std::memcpy(home, region.c_str(), region.size() + 1);
}

int read_once(const std::string &text, const std::string &region, char *e164, int *type, char *home) {
    const size_t digits = count_plain_digits(text);
    if (digits == 0) return CPHONENUMBER_IMPOSSIBLE;
    PhoneNumber number;
    if (library().ParseAndKeepRawInput(text, region, &number) != PhoneNumberUtil::NO_PARSING_ERROR) {
        return CPHONENUMBER_IMPOSSIBLE;
    }
    if (!is_accepted_form(number, digits)) return CPHONENUMBER_IMPOSSIBLE;
    // A number without its area code is "possible, local only", and useless to a carrier.
    if (library().IsPossibleNumberWithReason(number) != PhoneNumberUtil::IS_POSSIBLE) return CPHONENUMBER_IMPOSSIBLE;
    if (!write_e164(number, e164)) return CPHONENUMBER_IMPOSSIBLE;
    // The type is unknown exactly when no range of the plan has the number.
    *type = library().GetNumberType(number);
    if (*type != CPHONENUMBER_UNKNOWN) write_home(number, home);
    return *type == CPHONENUMBER_UNKNOWN ? CPHONENUMBER_POSSIBLE : CPHONENUMBER_VALID;
}

/// Reads what the library made of a number again until nothing changes, so that one number has one E.164 form: with the
/// mobile prefix that Mexico gave up, `+52 1 1 …` is first read as a number that begins with 1, and then without it.
int read(std::string text, const std::string &region, char *e164, int *type, char *home) {
    constexpr int readings = 4;
    for (int reading = 0; reading < readings; reading++) {
        const int status = read_once(text, region, e164, type, home);
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
bool take_apart(const std::string &text, PhoneNumber *number) {
    constexpr size_t longest_code = 3;
    if (text.empty() || text[0] != '+' || count_plain_digits(text) == 0) return false;
    int code = 0;
    for (size_t digit = 1; digit <= longest_code && digit < text.size(); digit++) {
        code = code * 10 + (text[digit] - '0');
        std::string region;
        library().GetRegionCodeForCountryCode(code, &region);
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

int cphonenumber_read(
    const char *text, size_t length, const char *region, char *e164, int *type, char *home) {
    e164[0] = '\0';
    home[0] = '\0';
    *type = CPHONENUMBER_UNKNOWN;
    // Longer than any number, so that a huge text is not even copied.
    if (length > CPHONENUMBER_E164_SIZE) return CPHONENUMBER_IMPOSSIBLE;
    try {
        return read(std::string(text, length), region, e164, type, home);
    } catch (...) {
        e164[0] = '\0';
        return CPHONENUMBER_FAULT;
    }
}

void cphonenumber_region(const char *e164, size_t length, char *home) {
    home[0] = '\0';
    if (length >= CPHONENUMBER_E164_SIZE) return;
    try {
        PhoneNumber number;
        if (take_apart(std::string(e164, length), &number)) write_home(number, home);
    } catch (...) {
        home[0] = '\0';
    }
}

size_t cphonenumber_regions(char *letters, size_t size) {
    try {
        std::set<std::string> regions;
        library().GetSupportedRegions(&regions);
        std::string joined;
        for (const std::string &region : regions) joined += region;
        if (joined.size() < size) std::memcpy(letters, joined.c_str(), joined.size() + 1);
        return joined.size();
    } catch (...) {
        return 0;
    }
}

int cphonenumber_example(const char *region, int type, char *e164) {
    e164[0] = '\0';
    if (type < CPHONENUMBER_FIXED_LINE || type >= CPHONENUMBER_UNKNOWN) return CPHONENUMBER_IMPOSSIBLE;
    try {
        PhoneNumber number;
        const auto kind = static_cast<PhoneNumberUtil::PhoneNumberType>(type);
        if (!library().GetExampleNumberForType(region, kind, &number)) return CPHONENUMBER_IMPOSSIBLE;
        return write_e164(number, e164) ? CPHONENUMBER_VALID : CPHONENUMBER_IMPOSSIBLE;
    } catch (...) {
        e164[0] = '\0';
        return CPHONENUMBER_FAULT;
    }
}
