internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/mobile-auth/finish`: submits the result of the chain, or the reason why there is none.
///
///     {"attemptId":"b7w0...","vfp":"v1...."}  or  {"attemptId":"b7w0...","error":"timeout"}  ->  200, the state
struct FinishMobileAuth: ClientEndpoint {
    struct Outcome: Sendable {
        var attempt = ""
        var fingerprint: String?
        var hasError = false
    }

    let calls: ClientCalls

    static let call = Call(
        .post, ClientDescription.path + "/mobile-auth/finish", id: "finishMobileAuth", "Finish Mobile Auth",
        "Hands in what the chain gave, or says that it gave nothing: exactly one of vfp and error.",
        body: .json(upTo: .short), answer: "The state after the call.")
    static let refusals: [ClientError] = [.refused(.fingerprintInvalid), .refused(.fingerprintExpired)]
    static let body = Shape(Outcome(), check: eitherOr) {
        Member.required(
            "attemptId", Input.anyText.described(as: .text(least: 1)), "The attempt that mobile-auth opened."
        ) { $0.attempt = $1 }
        Member.optional(
            "vfp", Input.text(.freeText(1024)).described(as: .text(least: 1, most: 1024)),
            "The fingerprint at the end of the chain."
        ) { $0.fingerprint = $1 }
        // The limit counts characters (contract section 8).
        Member.optional(
            "error", Input.text(.freeText(64)).described(as: .text(least: 1, most: 64)), "The reason why there is none."
        ) { (outcome, _) in outcome.hasError = true }
    }

    func check(_ fields: FieldReader) throws(FieldDefect) {
        try AttemptName.check(fields, calls.engine.crypto.keyed)
    }

    func respond(
        to outcome: Outcome, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        guard let attempt = AttemptName.attempt(outcome.attempt, calls.engine.crypto.keyed) else {
            throw .internalFault("an attempt that was checked")
        }
        return try await calls.perform(call) { (commands) throws(EngineFault) in
            commands.finishMobileAuth(attempt, fingerprint: outcome.fingerprint, from: call.caller.address)
        }
    }

    @Sendable private static func eitherOr(_ outcome: inout Outcome) throws(FieldDefect) {
        if outcome.fingerprint == nil, !outcome.hasError {
            throw FieldDefect("vfp", "is missing, and so is error")
        }
        if outcome.fingerprint != nil, outcome.hasError { throw FieldDefect("error", "must not stand beside vfp") }
    }
}
