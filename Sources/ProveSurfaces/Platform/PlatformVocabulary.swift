internal import StrictJSON
internal import SurfaceKit

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

extension Call.Alias {
    /// A path as the first SDKs call it.
    static func short(_ path: String) -> Call.Alias {
        Call.Alias(path, detail: "The same call as /v3\(path). ")
    }
}

extension Reply<Nothing> {
    static let done = Reply {
        ReplyMember.always("success", .flag, "Always true: a failure is answered with an error.") { _ in true }
    }
}
