internal import BuiltInFiles
internal import HTTPServer
internal import SurfaceKit
internal import Text

/// The files of the demo (`Sources/CBuiltInFiles/demo`), each as a response.
struct DemoFiles: Sendable {
    /// Allows nothing from another host, no frame, no inline script.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private let files: [(name: String, response: Response)]

    init() {
        files = BuiltInFile.all(in: "demo").map { file in
            let headers = [
                ("Content-Type", file.mediaType), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", Self.policy), ("Cross-Origin-Resource-Policy", "same-origin"),
                ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ]
            return (file.name, Response(status: 200, headers: headers, body: file.bytes).shared)
        }
    }

    func response(_ name: String) -> Response? {
        files.first { $0.name.isSame(as: name) }?.response
    }
}
