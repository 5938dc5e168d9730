package import HTTPServer

/// The error shape of a surface: it makes its own response and its text for the log.
package protocol SurfaceError: Error {
    init(_ defect: BodyDefect)
    init(_ defect: FieldDefect)

    var response: Response { get }
    /// Text for the log; `nil` for an error that the caller caused.
    var report: String? { get }
}

extension SurfaceError {
    /// The response to a call: the result of `work`, or the error that it throws. An error that is our fault is logged.
    ///
    /// - Parameters:
    ///   - report: takes a line for the log.
    ///   - render: makes the response to an error.
    @inlinable
    package static func answer(
        _ request: Request, report: (String) -> Void, render: (Self) -> Response = { $0.response },
        _ work: () async throws(Self) -> Response
    ) async -> Response {
        do throws(Self) { return try await work() } catch {
            if let reason = error.report { report("request \(request.id): \(reason)") }
            return render(error)
        }
    }
}
