package import HTTPServer
package import Engine
package import Possession

/// The first hop of a session that its backend drives: its parameters, and its redirect.
///
///     GET /.../{attemptId}?t=...
package struct FirstHop: Sendable {
    package struct Order: Sendable {
        package var attempt = ""
        package var ticket = ""
        package var saidNumber: String?

        package init() {}

        package func attemptID(_ keyed: KeyedDigests) -> AttemptID? { keyed.bytes(attempt).flatMap { AttemptID($0) } }

        package func session(_ keyed: KeyedDigests) -> SessionKey? { attemptID(keyed).map { .attempt($0) } }
    }

    package let service: MobileAuthService
    private let addresses: ClientAddress

    package init(_ service: MobileAuthService, _ addresses: ClientAddress) {
        self.service = service
        self.addresses = addresses
    }

    package static func parameters<Refusal: SurfaceError>() -> Parameters<Order, Refusal> {
        Parameters {
            ParameterMember.path("attemptId", .anyText.described(as: .text(least: 1)), "It names the attempt.") {
                $0.attempt = $1
            }
            ParameterMember.requiredQuery("t", .anyText, "The ticket, as it stands in the address.") { $0.ticket = $1 }
            ParameterMember.optionalQuery(
                "phoneNumber", .anyText, "Sandbox: whose phone follows, where the session has no number."
            ) { $0.saidNumber = $1 }
        }
    }

    /// Uses up the ticket. If a phone did not receive the answer and asks again from the same address, it is redirected
    /// again.
    /// - Returns: the URL to which the phone is redirected; `nil`: none.
    package func next(_ order: Order, of request: Request) async throws(EngineFault) -> String? {
        let address = addresses.or(peerOf: request)
        var hop = try await service.sendToOperator(
            order.attempt, ticket: order.ticket, address: address, saidNumber: order.saidNumber,
            note: request.noteSession)
        if hop == .refused(.gone) {
            hop = try await service.sendToOperatorAgain(
                order.attempt, address: address, saidNumber: order.saidNumber)
        }
        switch hop {
        case .redirect(let url): return url
        case .handedOver(let fingerprint, let page): return MobileAuthService.Hop.address(page, fingerprint)
        case .arrived, .refused(.unknown), .refused(.gone), .refused(.otherAddress): return nil
        }
    }
}
