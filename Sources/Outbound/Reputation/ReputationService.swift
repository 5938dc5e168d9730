package import Engine
package import Possession
internal import StrictJSON
internal import Text

/// Asks the operator's own HTTP service for the standing of a number (`SignedService`).
///
///     {"phoneNumber":"+12001004014","knownSince":"2025-03-01"}
///
///     200 {"result":"pass"}
///     200 {"result":"fail","failureReasons":{"9135":"SIM swap under 24 hours ago"}}
///     404 the service does not know the number; the body is ignored
///
/// `knownSince` is the day on which the backend enrolled the number, if it did. `ReputationAnswer` has the rules for
/// the answer. Anything else counts as no answer.
package struct ReputationService: ReputationSource {
    private let service: SignedService

    package init(_ service: SignedService) {
        self.service = service
    }

    /// False while its circuit is open: a call would be refused.
    package var isAvailable: Bool { service.isAvailable }

    package func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
        var question: JSONObject = ["phoneNumber": .string(query.number.e164)]
        question.set("knownSince", query.knownSince?.date)
        let standing: Reputation?
        do throws(ServiceFailure) {
            standing = try await service.ask(question) { (response) throws(ServiceFailure) in
                try ReputationAnswer(response, about: query.number).standing
            }
        } catch {
            switch error.kind {
            case .timeout: throw .timeout
            case .resting: throw .resting
            case .cancelled: throw .cancelled
            case .other: throw .failed(reason: "reputation service: " + error.reason)
            }
        }
        guard let standing else { throw .notCovered }
        return standing
    }
}

extension Timestamp {
    /// The UTC date, such as `2026-01-01`.
    var date: String { String(decoding: rfc3339.utf8.prefix(10), as: UTF8.self) }
}
