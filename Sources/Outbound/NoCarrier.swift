internal import Engine
package import Possession

/// The gateway of a live server without a carrier: it sends nothing and refuses every message.
package struct NoCarrier: MessageGateway {
    package init() {}

    /// - Throws: `GatewayFault` always.
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        throw GatewayFault("no carrier is configured")
    }
}
