/// A region with its own numbering plan: ISO 3166-1, and `AC`, `TA`, `XK` for Ascension, Tristan da Cunha, Kosovo.
struct Region: Sendable, Equatable {
    let code: String

    /// `nil` when libphonenumber does not know the region.
    init?(_ code: String) {
        guard Self.all.contains(code[...]) else { return nil }
        self.code = code
    }

    /// The regions of libphonenumber. A copy, because reading them from the library builds its tables, and the
    /// configuration is checked before every start; a test compares the two.
    static let all: Set<Substring> = Set(codes.split(separator: " "))

    private static let codes = """
        AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT \
        BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER \
        ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE \
        IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV \
        LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP \
        NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK \
        SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA \
        VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """
}
