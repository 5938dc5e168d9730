internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let client = SurfaceName(
        "Client", about: "What the client SDK calls with the auth token that the backend handed it.")
}

extension ErrorShape {
    static let client = ErrorShape("ClientError", .extended)
}

extension CallerScheme {
    static let authToken = CallerScheme("authToken") { _ in
        [
            "type": "http", "scheme": "DPoP",
            "description": .string(
                """
                Authorization: DPoP with the auth token of unify, and a DPoP proof of the client's key (RFC 9449). \
                In sandbox mode Authorization: Bearer is taken as well, without a proof.
                """),
        ]
    }
}
