internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// The first hop: a program takes it at once, a browser after a tap.
struct SilentStart: Sendable {
    let silent: OtplessSilent
    let hop: FirstHop
    let answer: SilentAnswer

    /// - Parameter mayGo: if false, the answer is the page that asks for a tap, and the link is not used up.
    func go(
        _ status: Int, _ order: FirstHop.Order, of request: Request, if mayGo: Bool
    ) async throws(OtplessError) -> Response {
        guard mayGo else { return answer.question(try await silent.asker(order), of: request) }
        do throws(EngineFault) {
            return try await hop.next(order, of: request).map { .hop(status, to: $0) }
                ?? answer.end(.failed, of: request)
        } catch { throw OtplessError(error) }
    }

    func session(of order: FirstHop.Order) -> SessionKey? { order.session(silent.verifications.engine.crypto.keyed) }

    static func reply(_ status: Int) -> ResponseReply<Response> {
        ResponseReply([
            Answer(status: status, about: "To the operator, or to the end.", headers: ["Location"]), SilentAnswer.ends,
        ])
    }
}
