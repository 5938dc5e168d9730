internal import Possession
internal import SurfaceKit
internal import Text

/// Which attempts a caller asks for: those of one verification.
struct AttemptQuery: Sendable {
    var sid: SID?
    var number: String?
    var channel: VerificationChannel?
    var conversion: AttemptDocument.Conversion?
    var service: SID?
    /// A parameter that the vendor has and by which no verification is found here.
    var foreign: String?

    /// - Throws: `.parameter` where neither a verification nor a number is named.
    func target() throws(TwilioError) -> Verifications.Target {
        if let foreign { throw .parameter(FieldDefect(foreign, "is not supported by this server")) }
        if let sid { return .sid(sid) }
        guard let number else {
            throw .parameter(FieldDefect("VerificationSid", "is missing; it or ChannelData.To is due"))
        }
        return .number(number)
    }

    func takes(_ attempt: AttemptDocument) -> Bool {
        (channel.map { $0 == attempt.attempt.channel } ?? true)
            && (conversion.map { $0 == attempt.conversion } ?? true)
            && (service.map { $0 == attempt.caller.service } ?? true)
    }

    static let parameters = Parameters<AttemptQuery, TwilioError> {
        ParameterMember.optionalQuery("VerificationSid", .sid(.verification), "The verification.") { $0.sid = $1 }
        ParameterMember.optionalQuery(
            "ChannelData.To", .internationalNumber, "A number, in E.164: its newest verification."
        ) { $0.number = $1 }
        ParameterMember.optionalQuery("Channel", .choice(VerificationChannel.self), "Only those.") { $0.channel = $1 }
        ParameterMember.optionalQuery("Status", .choice(AttemptDocument.Conversion.self), "Only those.") {
            $0.conversion = $1
        }
        ParameterMember.optionalQuery("VerifyServiceSid", .sid(.service), "Only those.") { $0.service = $1 }
        foreign("DateCreatedAfter")
        foreign("DateCreatedBefore")
        foreign("Country")
        foreign("DestinationPrefix")
        ParameterMember.ignoredQuery("PageSize", .wholeNumber(in: 1...1000), "No effect: there is one page.")
        ParameterMember.ignoredQuery("Page", .wholeNumber(upTo: 1000), "No effect.")
        ParameterMember.ignoredQuery("PageToken", .text(.reference), "No effect.")
    }

    private static func foreign(_ name: String) -> ParameterMember<AttemptQuery, TwilioError> {
        .optionalQuery(name, .text(.reference), "Refused: attempts are found by verification or number.") { query, _ in
            query.foreign = query.foreign ?? name
        }
    }
}

extension ParameterInput where Value: RawRepresentable<String> & CaseIterable {
    /// One of the values, spelled exactly.
    fileprivate static func choice(_ type: Value.Type) -> ParameterInput {
        ParameterInput(.choice(Value.allCases.map(\.rawValue))) { (text, name) throws(FieldDefect) in
            guard let value = Value.spelled(text) else {
                throw FieldDefect(
                    name, "must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return value
        }
    }
}
