internal import Possession
internal import SurfaceKit

/// The query for a list of attempts. Without parameters it selects all attempts of the API client.
struct AttemptQuery: Sendable {
    var sid: SID?
    /// In E.164, as the caller wrote it.
    var number: String?
    var filter = AttemptFilter()
    var pageSize = 50
    var page = 0
    /// The last attempt of the previous page.
    var after: SID?

    static let parameters = Parameters<AttemptQuery, TwilioError> {
        ParameterMember.optionalQuery("VerificationSid", .sid(.verification), "The verification.") { $0.sid = $1 }
        number("ChannelData.To", "A number, in E.164.")
        number(#"ChannelData\.To"#, "The same, as the Go library spells it.")
        ParameterMember.optionalQuery("Status", .choice(AttemptDocument.Conversion.self), "Only those.") {
            $0.filter.conversion = $1
        }
        AttemptFilter.common.map { (member) -> ParameterMember<AttemptQuery, TwilioError> in
            member.inside({ $0.filter }, { $0.filter = $1 })
        }
        ParameterMember.optionalQuery("PageSize", .wholeNumber(in: 1...1000), "50 unless it is given.") {
            $0.pageSize = $1
        }
        ParameterMember.optionalQuery("Page", .wholeNumber(upTo: 1_000_000), "Of meta.next_page_url.") { $0.page = $1 }
        ParameterMember.optionalQuery("PageToken", .sid(.attempt), "Of meta.next_page_url.") { $0.after = $1 }
    }

    private static func number(_ name: String, _ about: String) -> ParameterMember<AttemptQuery, TwilioError> {
        .optionalQuery(name, .internationalNumber, about) { $0.number = $1 }
    }
}
