internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// A hop that a phone follows over its cellular connection.
protocol SilentHop: PhoneHop where Refusal == PreludeError, Replied == ResponseReply<Answered> {}

extension PreludeError: PhoneHopError {}

extension SilentHop {
    static var operations: [Operation] {
        [
            operation(
                .preludePhone, caller: nil, schema: .anything,
                errors: [
                    .overloaded, .internalFault(""), .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
                ], shape: .prelude)
        ]
    }
}

/// The answer at the end of a chain.
enum SilentAnswer {
    /// Why there is no code, in the words that the SDK for Android reads.
    enum Reason: String, CaseIterable, Sendable {
        /// The connection belongs to another number.
        case mismatch
        /// The operator gives no answer, or no operator was found.
        case unavailable
        /// The chain is over, or a newer one has begun.
        case gone
    }

    static func code(_ code: String) -> Response { json(["code": .string(code)]) }

    static func failed(_ reason: Reason) -> Response {
        json(["status": "failed", "reason": .string(reason.rawValue)])
    }

    /// 200 for success and failure: the SDK reads the reason only from a 200.
    private static func json(_ object: JSONObject) -> Response { Response.json(200, object).asHopEnd }

    static let ends = Answer(
        status: 200, about: "The code, or why there is none.",
        content: .json(
            .any(of: [
                .record([must("code", .text(), "For the check.")]),
                .record([
                    must(
                        "status", .choice(["failed"]),
                        "Always failed: a silent verification that succeeds answers code."),
                    must(
                        "reason", .choice(Reason.self),
                        """
                        mismatch: the connection has another number. unavailable: no operator confirmed a \
                        number. gone: the chain is over, or was begun again.
                        """
                    ),
                ]),
            ])))
}
