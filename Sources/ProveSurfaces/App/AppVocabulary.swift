internal import StrictJSON
internal import SurfaceKit

extension SurfaceName {
    static let app = SurfaceName(
        "App",
        about: "What a browser or phone calls directly, with a flow token as cookie or in Authorization.")
}

extension CallerScheme {
    static let flowToken = CallerScheme("flowToken") { _ in
        [
            "type": "apiKey", "in": "cookie", "name": .string(FlowCookie.name),
            "description": "The flow token of initialize as cookie, or as Authorization: Bearer.",
        ]
    }
}
