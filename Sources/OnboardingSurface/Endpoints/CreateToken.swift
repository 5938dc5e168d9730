internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /pa/v3/token/create`: makes a secret that signs calls instead of the activation's keys. The body is an
/// envelope for the activation; the signature header names the keys that signed the call.
///
///     {"ephemeralPublicKey":"...","encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000}
///     ->  200 {"encryptedData":"...","mac":"...","nonce":"...","timestamp":1767265200000}
struct CreateToken: SignedEndpoint {
    let activations: DeviceActivations
    let envelopes: Envelopes

    static let resource = "/pa/token/create"
    static let call = Call(
        .post, OnboardingPath.protocol3 + "/token/create", id: "CreateDeviceToken", "Make a token",
        """
        Signed by the activation and encrypted for it, an empty object inside. The answer has tokenId and tokenSecret inside. The \
        token has the factors of the signature. Of more than \(DeviceToken.mostOfActivation) the oldest goes.
        """,
        body: .envelope, answer: "The token, encrypted.")
    static let body = Shape.nothing
    static let reply = Reply.envelope

    private static let inner = Reply<NewToken>(name: "CreatedToken") {
        ReplyMember.always("tokenId", .identifier(), "Names it.") { $0.id }
        ReplyMember.always("tokenSecret", .base64, "16 bytes.") { $0.secret }
    }

    private struct NewToken {
        let id: DeviceTokenID
        let secret: [UInt8]
    }

    func respond(
        to body: Nothing, of request: Request, from signer: Signer
    ) async throws(OnboardingError) -> JSONObject {
        let opened = try await envelopes.open(request.body, signer.version, for: .token, from: signer.caller)
        let made: (id: DeviceTokenID, secret: [UInt8])?
        do throws(EngineFault) { made = try await activations.makeToken(of: signer.activation, signer.factors) } catch {
            throw OnboardingError(error)
        }
        // The activation was blocked or removed just now.
        guard let made else { throw .signature }
        return try envelopes.seal(
            Self.inner.object(NewToken(id: made.id, secret: made.secret)).serialized(), opened)
    }
}
