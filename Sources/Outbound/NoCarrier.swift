package import Possession

/// Stands where a carrier should be: a live server without one sends nothing, and says so to every message.
package struct NoCarrier: MessageGateway {
    package init() {}

    /// - Throws: `GatewayFault` always.
    package func send(_ message: OutgoingMessage) async throws(GatewayFault) -> Acceptance {
        throw GatewayFault("no carrier is configured")
    }
}
