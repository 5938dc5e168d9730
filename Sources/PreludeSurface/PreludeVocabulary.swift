package import Possession
internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let prelude = SurfaceName(
        "Prelude", about: "What an app's backend calls with its API key, as Prelude's server SDKs do.")
    static let preludeApp = SurfaceName(
        "Prelude app calls", about: "What Prelude's guide calls on the app's own backend, without credentials.")
    static let preludePhone = SurfaceName(
        "Prelude phone calls", about: "What Prelude's SDK on a phone or a page calls. No credentials.")
}

extension CallerScheme {
    static let apiKey = CallerScheme("preludeKey") { _ in
        [
            "type": "http", "scheme": "bearer",
            "description": "The API key: <client_id>:<client_secret> of an API client.",
        ]
    }
}

extension ErrorShape {
    static let prelude = ErrorShape("PreludeError", .separate)
}

extension Product {
    /// A number is verified once at a time: the newest session is the one that is checked.
    static let prelude = {
        var product = Product(.prelude, number: .orMobileAuth)
        product.isFoundByNumber = true
        return product
    }()
}

extension ProductName {
    /// The sessions of this wire format.
    package static let prelude = ProductName(known: "prelude")
}
