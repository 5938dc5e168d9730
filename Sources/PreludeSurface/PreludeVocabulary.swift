package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let prelude = SurfaceName(
        "Prelude", about: "What an app's backend calls with its API key, as Prelude's server SDKs do.")
    static let preludeApp = SurfaceName(
        "Prelude app calls", about: "What Prelude's guide calls on the app's own backend, without credentials.")
    static let preludePhone = SurfaceName(
        "Prelude phone calls", about: "What Prelude's SDK on a phone or a page calls. The SDK key names the API client."
    )
}

extension CallerScheme {
    static let apiKey = CallerScheme("preludeKey") { _ in
        [
            "type": "http", "scheme": "bearer",
            "description": "An API key of an API client: holdfast clients keys add.",
        ]
    }
    static let sdkKey = CallerScheme("preludeSDKKey") { _ in
        [
            "type": "apiKey", "in": "header", "name": "X-SDK-Key",
            "description": "An SDK key of an API client: holdfast clients keys add --kind sdk. It is public.",
        ]
    }
}

extension ErrorShape {
    static let prelude = ErrorShape("PreludeError", .separate)
}

extension Product {
    /// A number has one verification at a time: a check goes to the newest session.
    static let prelude = {
        var product = Product(.prelude, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
}

extension ProductName {
    /// The name of this format's sessions.
    package static let prelude = ProductName(known: "prelude")
}
