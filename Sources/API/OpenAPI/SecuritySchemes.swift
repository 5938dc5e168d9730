internal import StrictJSON

/// How callers say who they are.
struct SecuritySchemes: Sendable {
    let operations: [Operation]
    let publicURL: String

    /// Those that an operation asks for.
    var object: JSONObject {
        var object = JSONObject()
        for caller in Operation.Caller.allCases where operations.contains(where: { $0.caller == caller }) {
            object.set(caller.rawValue, scheme(caller))
        }
        return object
    }

    private func scheme(_ caller: Operation.Caller) -> JSONObject? {
        switch caller {
        case .anyone: nil
        case .clientCredentials:
            ["type": "http", "scheme": "basic", "description": "Client id and secret, or both in the form."]
        case .accessToken:
            [
                "type": "oauth2", "description": "Authorization: Bearer, with a token of POST /token.",
                "flows": [
                    "clientCredentials": ["tokenUrl": .string("\(publicURL)/token"), "scopes": .object(JSONObject())]
                ],
            ]
        case .flowToken:
            [
                "type": "apiKey", "in": "cookie", "name": .string(FlowCookie.name),
                "description": "The flow token of initialize as cookie, or as Authorization: Bearer.",
            ]
        case .authToken:
            [
                "type": "http", "scheme": "DPoP",
                "description": .string(
                    """
                    Authorization: DPoP with the auth token of unify, and a DPoP proof of the client's key (RFC 9449). \
                    In sandbox mode Authorization: Bearer is taken as well, without a proof.
                    """),
            ]
        case .operatorToken:
            ["type": "http", "scheme": "bearer", "description": "A token of the operator's token endpoint; good once."]
        }
    }
}
