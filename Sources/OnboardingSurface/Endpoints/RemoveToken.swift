internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/token/remove`: makes a token invalid.
///
///     {"requestObject":{"tokenId":"7d1b..."}}  ->  200 {"status":"OK","responseObject":{"tokenId":"7d1b..."}}
struct RemoveToken: SignedEndpoint {
    let activations: DeviceActivations

    static let resource = "/pa/token/remove"
    static let call = Call(
        .post, OnboardingPath.protocol3 + "/token/remove", id: "RemoveDeviceToken", "Remove a token",
        "Signed by its activation. One that is not there, or another activation's, stays as it is: the answer is the same.",
        body: .json(#"{"requestObject":{"tokenId":"7d1b7907-8d58-4500-8000-000000000003"}}"#, upTo: .short),
        answer: "It is removed.")
    static let body = Shape.wrapping(
        Shape(DeviceTokenID(high: 0, low: 0)) {
            Member.required("tokenId", .identifier(DeviceTokenID.self), "Of the token.") { $0 = $1 }
        }, DeviceTokenID(high: 0, low: 0))
    static let reply = Reply<DeviceTokenID>.wrapping(
        example: #"{"status":"OK","responseObject":{"tokenId":"7d1b7907-8d58-4500-8000-000000000003"}}"#
    ) {
        ReplyMember.always("tokenId", .identifier(), "Of the token.") { $0 }
    }

    func respond(
        to id: DeviceTokenID, of request: Request, from signer: Signer
    ) async throws(OnboardingError) -> DeviceTokenID {
        do throws(EngineFault) { try await activations.removeToken(id, of: signer.activation) } catch {
            throw OnboardingError(error)
        }
        return id
    }
}
