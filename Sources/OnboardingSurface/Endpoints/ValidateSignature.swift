internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /pa/v3/signature/validate`: checks a signature and does nothing else.
///
///     {"requestObject":{"reason":"login"}}  ->  200 {"status":"OK"}
struct ValidateSignature: SignedEndpoint {
    static let resource = "/pa/signature/validate"
    static let call = Call(
        .post, OnboardingPath.protocol3 + "/signature/validate", id: "ValidateSignature", "Check a signature",
        """
        Of the header X-PowerAuth-Authorization over this very body. Five in a row that are not good block the activation, \
        unless they are of possession alone.
        """,
        body: .optionalJSON(#"{"requestObject":{"reason":"login"}}"#, upTo: .short), answer: "It is good.")
    static let body = Shape.nothing
    static let reply = Reply<Nothing>.done

    func respond(
        to body: Nothing, of request: Request, from signer: Signer
    ) async throws(OnboardingError) -> Nothing {
        body
    }
}
