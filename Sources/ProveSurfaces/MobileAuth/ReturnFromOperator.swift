internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /ma/v1/cb?code=...&state=...` (or `error=...`): the hop back from the operator.
///
///     ->  200 {"vfp":"v1...."} or {"error":"mobile_auth_unavailable"}; to a web page 303 with #vfp= or #error=
struct ReturnFromOperator: Sendable {
    let service: MobileAuthService
    let address: ClientAddress
    let report: @Sendable (String) -> Void

    /// An authorization code of any operator is far shorter.
    private static let maxCodeBytes = 2048

    func respond(to request: Request) async -> Response {
        guard let state = request.query("state"), let back = Self.back(request) else { return HopAnswer.failed(400) }
        do throws(EngineFault) {
            return HopAnswer.response(
                try await service.returnFromOperator(
                    state, back, address: address.or(peerOf: request), note: request.noteSession))
        } catch {
            return HopAnswer.response(error, request, report)
        }
    }

    private static func back(_ request: Request) -> MobileAuthService.Return? {
        if let error = request.query("error") { return .error(error) }
        // RFC 6749 appendix A.11: visible ASCII and the space.
        guard let code = request.query("code"), (1...maxCodeBytes).contains(code.utf8.count),
            code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return .code(code)
    }
}
