internal import Possession
internal import SurfaceKit
internal import Text

/// Selects attempts for a list or a summary. Each part may be absent.
struct AttemptFilter: Sendable {
    var after: Timestamp?
    var before: Timestamp?
    var channel: VerificationChannel?
    var conversion: AttemptDocument.Conversion?
    /// ISO 3166-1.
    var country: String?
    /// The beginning of a number in E.164.
    var prefix: String?
    var service: SID?

    /// - Parameter region: the region of the attempt's number, ISO 3166-1.
    func takes(_ attempt: AttemptDocument, region: String?) -> Bool {
        let time = attempt.attempt.time
        let isInTime = agrees(after) { time >= $0 } && agrees(before) { time <= $0 }
        let isThere =
            agrees(country) { region?.isSame(as: $0) ?? false } && agrees(prefix) { attempt.to.begins(with: $0) }
        let isOfKind =
            agrees(channel) { $0 == attempt.attempt.channel } && agrees(conversion) { $0 == attempt.conversion }
        return isInTime && isThere && isOfKind && agrees(service) { $0 == attempt.caller.service }
    }

    private func agrees<Part>(_ part: Part?, _ holds: (Part) -> Bool) -> Bool { part.map(holds) ?? true }

    /// Parameters that the list and the summary share.
    @ParameterBuilder<AttemptFilter, TwilioError>
    static var common: [ParameterMember<AttemptFilter, TwilioError>] {
        ParameterMember.optionalQuery("DateCreatedAfter", .moment, "The first moment.") { $0.after = $1 }
        ParameterMember.optionalQuery("DateCreatedBefore", .moment, "The last moment.") { $0.before = $1 }
        ParameterMember.optionalQuery("Country", .country, "ISO 3166-1, of the number.") { $0.country = $1 }
        ParameterMember.optionalQuery("Channel", .choice(VerificationChannel.self), "Only those.") { $0.channel = $1 }
        ParameterMember.optionalQuery("VerifyServiceSid", .sid(.service), "Only those.") { $0.service = $1 }
    }
}

extension ParameterInput where Value: RawRepresentable<String> & CaseIterable {
    /// One of the values, spelled exactly.
    static func choice(_ type: Value.Type) -> ParameterInput {
        ParameterInput(.choice(Value.allCases.map(\.rawValue))) { (text, name) throws(FieldDefect) in
            guard let value = Value.spelled(text) else {
                throw FieldDefect(
                    name, "must be one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return value
        }
    }
}

extension ParameterInput where Value == Timestamp {
    fileprivate static var moment: ParameterInput {
        ParameterInput(.text(format: "date-time")) { (text, name) throws(FieldDefect) in
            guard let moment = RFC3339.milliseconds(text.utf8) else {
                throw FieldDefect(name, "must be a date and time")
            }
            return Timestamp(milliseconds: moment)
        }
    }
}

extension ParameterInput where Value == String {
    fileprivate static var country: ParameterInput {
        ParameterInput(.text(pattern: "^[A-Z]{2}$")) { (text, name) throws(FieldDefect) in
            guard text.utf8.count == 2, text.utf8.allSatisfy({ (65...90).contains($0) }) else {
                throw FieldDefect(name, "must be two capital letters")
            }
            return text
        }
    }

    /// The beginning of a number, with or without its `+`.
    static var numberPrefix: ParameterInput {
        ParameterInput(.text(pattern: "^\\+?[0-9]{1,15}$")) { (text, name) throws(FieldDefect) in
            let digits = text.begins(with: "+") ? String(Substring(text.utf8.dropFirst())) : text
            guard (1...15).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw FieldDefect(name, "must be the first digits of a number")
            }
            return "+" + digits
        }
    }
}
