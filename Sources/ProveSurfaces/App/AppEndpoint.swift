internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// A call of a browser or phone.
protocol AppEndpoint: Endpoint
where Caller: AppCaller, Failure == AppError, Refusal == AppError, Replied == Reply<Answered> {
    /// Header fields of the answer in addition to its type.
    func headers(_ answered: Answered, _ request: Request) -> [(name: String, value: String)]
}

extension AppEndpoint {
    func headers(_ answered: Answered, _ request: Request) -> [(name: String, value: String)] { [] }

    /// The API description of the endpoint and its preflight.
    static var operations: [Operation] {
        operations(.app, caller: Caller.scheme, common: common)
            + call.paths.map { path in
                Operation(
                    id: preflightID(path), method: .options, path: path, surface: .app, summary: "Preflight",
                    detail: "Whether a web page may call, with cookies (CORS): the origins of app.allowedOrigins.",
                    parameters: [.header(may("Origin", .text(), "Set by the browser."))],
                    answers: [Answer(status: 204, about: "It may, or no page asked.", headers: ["Vary"])],
                    errors: [AppError.originNotAllowed.response])
            }
    }

    private static func preflightID(_ path: String) -> String {
        let name = String(decoding: path.utf8.dropFirst(), as: UTF8.self)
        return "preflight\(name.capitalisedASCII)"
    }

    /// Errors that every call may return.
    private static var common: [AppError] {
        (exampleDefect.map { [.platform(.field($0))] } ?? []) + [
            .originNotAllowed, .platform(.overloaded), .platform(.internalFault("")),
            .platform(.rateLimited(.init(.startsPerAddress, retryAfterSeconds: 1))), .notSetUp,
        ]
    }
}

extension AppError {
    /// Calls the engine, and converts its refusals to those of the surface.
    static func asking<Value: Sendable>(
        _ call: () async throws(PlatformRefusal) -> Value
    ) async throws(AppError) -> Value {
        do throws(PlatformRefusal) { return try await call() } catch { throw AppError(error) }
    }
}

extension String {
    /// With its first letter, which is ASCII, as a capital.
    fileprivate var capitalisedASCII: String {
        var bytes = Array(utf8)
        if let first = bytes.first, (97...122).contains(first) { bytes[0] = first - 32 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
