internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/activation/remove`: the phone gives up its keys.
///
///     {}  ->  200 {"status":"OK","responseObject":{"activationId":"019b..."}}
struct RemoveActivation: SignedEndpoint {
    static let resource = "/pa/activation/remove"
    static let factors = SignatureFactors.severalFactors
    static let call = Call(
        .post, OnboardingPath.protocol3 + "/activation/remove", id: "RemoveActivation", "Remove an activation",
        "Signed by it, with two or three factors. It is removed for good.", body: .optionalJSON("{}", upTo: .short),
        answer: "It is removed.")
    static let body = Shape.nothing
    static let reply = Reply<ActivationID>.wrapping(
        example: #"{"status":"OK","responseObject":{"activationId":"019b7907-8d58-7500-8000-000000000002"}}"#
    ) {
        ReplyMember.always("activationId", .identifier(), "Of the activation.") { $0 }
    }

    static func act(on activation: inout DeviceActivation, at now: Timestamp) {
        activation.remove(for: .phone, at: now)
    }

    func respond(
        to body: Nothing, of request: Request, from signer: Signer
    ) async throws(OnboardingError) -> ActivationID {
        signer.activation.id
    }
}
