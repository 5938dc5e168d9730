internal import Possession
internal import StrictJSON

/// The answer of the operator's own service about a number, in the same form as the platform's answers (Prove section
/// 9). Unknown members are ignored. Errors name a member and never a value.
struct ReputationAnswer: Sendable, Equatable {
    /// Most reasons in one answer.
    static let maxReasons = 16
    /// Longest text of a reason.
    static let maxTextBytes = 128

    /// `nil`: the service does not know the number.
    let standing: Reputation?

    /// - Parameter number: the number of the question; an answer that names a number must name this one.
    init(_ response: OutboundResponse, about number: PhoneNumber) throws(ServiceFailure) {
        switch response.status {
        case 200:
            let object: JSONObject
            do { object = try JSONObject.parse(response.body) } catch {
                throw ServiceFailure("200 without a JSON object", .failed)
            }
            standing = try Self.standing(in: object, about: number)
        case 404: standing = nil
        // Concerns only this request.
        case 400, 422: throw ServiceFailure("\(response.status)", .answered)
        default: throw ServiceFailure("\(response.status)", .failed)
        }
    }

    private static func standing(
        in object: JSONObject, about number: PhoneNumber
    ) throws(ServiceFailure) -> Reputation {
        if let other = object["phoneNumber"], other.string.flatMap({ PhoneNumber(e164: $0) }) != number {
            throw defect("phoneNumber is not the one that was asked for")
        }
        let reasons = try reasons(in: object)
        if object["result"] == "pass" {
            guard reasons.isEmpty else { throw defect("failureReasons is for fail only") }
            return Reputation()
        }
        guard object["result"] == "fail" else { throw defect("result must be pass or fail") }
        guard !reasons.isEmpty else { throw defect("failureReasons is missing") }
        return Reputation(failureReasons: reasons.sorted { $0.code.utf8.lexicographicallyPrecedes($1.code.utf8) })
    }

    private static func reasons(in object: JSONObject) throws(ServiceFailure) -> [Reputation.Reason] {
        guard let value = object["failureReasons"], value != .null else { return [] }
        guard let members = value.object?.members else { throw defect("failureReasons must be an object") }
        guard members.count <= maxReasons else { throw defect("failureReasons has more than \(maxReasons) members") }
        var reasons: [Reputation.Reason] = []
        for member in members {
            guard member.name.utf8.count == 4, member.name.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
                throw defect("failureReasons has a member that is not named by four digits")
            }
            guard let text = member.value.string, (1...maxTextBytes).contains(text.utf8.count),
                Person.isPrintable(text)
            else {
                throw defect("failureReasons.\(member.name) must be 1 to \(maxTextBytes) bytes of text")
            }
            reasons.append(Reputation.Reason(code: member.name, text: text))
        }
        return reasons
    }

    /// A malformed answer. It does not count against the service, so that a caller that provokes such answers cannot
    /// open its circuit.
    private static func defect(_ what: String) -> ServiceFailure { ServiceFailure("200, " + what, .answered) }
}
