package import HTTPServer

/// The error shape of a surface: it knows its response, and what of it the log is told.
package protocol SurfaceError: Error {
    init(_ defect: BodyDefect)
    init(_ defect: FieldDefect)

    var response: Response { get }
    /// Text for the log; `nil` for an error of the caller's doing.
    var report: String? { get }
}

extension SurfaceError {
    /// The response to a call: what `work` answers, or the error that it throws, of which the log is told where the
    /// fault is ours.
    ///
    /// - Parameters:
    ///   - report: takes a line for the log.
    ///   - render: how an error is answered.
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
