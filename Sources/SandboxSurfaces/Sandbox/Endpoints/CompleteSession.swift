internal import Sandbox
internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `POST /sandbox/sessions/{correlationId}/complete`: plays the client, to either end.
///
///     {"outcome":"success"}  ->  200, the session
struct CompleteSession: Sendable {
    let service: SessionAdministration

    private enum Outcome: String, Sendable { case success, failure }

    /// - Throws: `.body`, `.field`, `.unknownSession`, `.alreadyDone`, `.overloaded`, `.internalFault`.
    func respond(to request: Request) async throws(SandboxError) -> Response {
        let fields = try SandboxBody.reader(of: request)
        let outcome: Outcome
        do throws(FieldDefect) { outcome = try fields.requiredChoice("outcome", [Outcome.success, .failure]) } catch {
            throw .field(error)
        }
        guard let id = request.parameters["correlationId"].flatMap({ CorrelationID($0) }) else { throw .unknownSession }
        do throws(SessionAdministration.Refusal) {
            let session = try await service.complete(
                id, success: outcome == .success, numberIfUnknown: SandboxUsers.defaultNumber)
            return .json(200, SessionView.object(session))
        } catch {
            throw SandboxError(error)
        }
    }
}
