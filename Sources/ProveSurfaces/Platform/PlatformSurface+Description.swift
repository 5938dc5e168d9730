internal import StrictJSON
package import SurfaceKit

extension PlatformSurface {
    /// The surface in the API description.
    package static let description = SurfaceDescription(
        PlatformDescription.operations + PrefillDescription.operations, schemas: PlatformSchemas.all)
}

extension SurfaceName {
    static let platform = SurfaceName(
        "Platform", about: "What an app's backend calls: a token, and the sessions of its users.")
}

extension ErrorShape {
    static let token = ErrorShape("TokenError", .extended)
}

extension CallerScheme {
    static let accessToken = CallerScheme("accessToken") { publicURL in
        [
            "type": "oauth2", "description": "Authorization: Bearer, with a token of POST /token.",
            "flows": [
                "clientCredentials": ["tokenUrl": .string("\(publicURL)/token"), "scopes": .object(JSONObject())]
            ],
        ]
    }
}
