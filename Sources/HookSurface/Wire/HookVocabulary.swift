package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let hooks = SurfaceName(
        "SMS hooks", about: "What Supabase Auth, Zitadel, Ory Kratos and other servers call to have their codes sent.")
}

extension ErrorShape {
    static let hook = ErrorShape("HookError", .separate)
}

extension CallerScheme {
    static let standardWebhooks = CallerScheme("standardWebhooks") { _ in
        [
            "type": "apiKey", "in": "header", "name": "webhook-signature",
            "description": """
            Standard Webhooks 1.0.0: HMAC-SHA-256 over webhook-id, webhook-timestamp and the body, by the hook secret of the \
            API client in the path.
            """,
        ]
    }

    static let hookSecret = CallerScheme("clientId_hookSecret") { _ in
        [
            "type": "http", "scheme": "basic",
            "description": """
            The id of the API client, and its hook secret (`holdfast clients hook-secret`). Or `Bearer`, with both as one word: \
            the id, a full stop, the secret.
            """,
        ]
    }
}

enum HookPath {
    static let base = "/hooks"
    static let supabase = base + "/supabase/{\(HookGate.client)}"
    static let zitadel = base + "/zitadel"
    static let kratos = base + "/kratos"
    static let logto = base + "/logto"
    static let authgear = base + "/authgear"
}

extension Product {
    /// A code that another server makes and checks. A repeated call finds its session by the number.
    static let hook = {
        var product = Product(.hook, number: .orMobileAuth)
        product.isFoundByNumber = true
        product.isAnsweredElsewhere = true
        return product
    }()
}

extension ProductName {
    /// Also the name in the metrics.
    package static let hook = ProductName(known: "sms-hook")
}
