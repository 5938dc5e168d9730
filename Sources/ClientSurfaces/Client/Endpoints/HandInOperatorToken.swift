internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /client/v1/session/mobile-auth/token`: submits a token of the phone's operator instead of following the hops,
/// so that it also works over Wi-Fi (GSMA TS.43; CAMARA Identity and Consent Management r4.2).
///
///     {"attemptId":"b7w0...","operatorToken":"eyJ...","plmn":"26201"}  ->  200, the state
///
/// The answer ends the attempt. If no operator accepts tokens of the network, the call is refused before anything
/// changes, and `authUrl` stays valid.
struct HandInOperatorToken: ClientEndpoint {
    struct HandedIn: Sendable {
        var attempt = ""
        var token: OperatorToken?
        var network: PLMN?
    }

    let calls: ClientCalls

    static let call = Call(
        .post, ClientDescription.path + "/mobile-auth/token", id: "handInOperatorToken", "Hand in an operator token",
        "Ends an attempt by a token that the phone got from its operator, over any network. Possible until authUrl is opened.",
        body: .json(upTo: .short), answer: "The state after the call.")
    static let refusals: [ClientError] = [.refused(.fingerprintExpired)]
    static let body = Shape(HandedIn()) {
        Member.required(
            "attemptId", Input.anyText.described(as: .text(least: 1)), "The attempt that mobile-auth opened."
        ) { $0.attempt = $1 }
        Member.required(
            "operatorToken", Input.text(tokenText).described(as: .text(least: 1, most: OperatorToken.longest)),
            "As the phone got it: visible ASCII characters."
        ) { (handedIn, text) throws(FieldDefect) in
            guard let token = OperatorToken(text) else {
                throw FieldDefect("operatorToken", "must be visible ASCII characters")
            }
            handedIn.token = token
        }
        Member.required(
            "plmn", Input.text(.freeText(6)).described(as: .text(least: 5, most: 6)), "MCC and MNC of the SIM."
        ) { (handedIn, text) throws(FieldDefect) in
            guard let network = PLMN(text) else {
                throw FieldDefect("plmn", "must be MCC and MNC: five or six digits")
            }
            handedIn.network = network
        }
    }
    private static let tokenText = TextRule.freeText(OperatorToken.longest)

    func check(_ fields: FieldReader) throws(FieldDefect) {
        try AttemptName.check(fields, calls.engine.crypto.keyed)
    }

    func respond(
        to handedIn: HandedIn, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> OperationReply {
        guard let attempt = AttemptName.attempt(handedIn.attempt, calls.engine.crypto.keyed),
            let token = handedIn.token,
            let network = handedIn.network
        else { throw .internalFault("fields that were checked") }
        guard let carrier = calls.engine.network.operators.takingTokens(of: network) else {
            throw ClientError(FieldDefect("plmn", "names a network whose tokens are not taken here"))
        }
        return try await calls.perform(call) { (commands) throws(EngineFault) in
            commands.handInOperatorToken(token, of: attempt, to: carrier.name, from: call.caller.address)
        }
    }
}

/// The name of an attempt in a client's call: the ID that the server gave it. Only the server's key can check its form.
enum AttemptName {
    static func check(_ fields: FieldReader, _ keyed: KeyedDigests) throws(FieldDefect) {
        let text = try fields.requiredText("attemptId", .any)
        guard attempt(text, keyed) != nil else {
            throw FieldDefect("attemptId", "must be the one that mobile-auth gave")
        }
    }

    static func attempt(_ text: String, _ keyed: KeyedDigests) -> AttemptID? {
        keyed.bytes(text).flatMap { AttemptID($0) }
    }
}
