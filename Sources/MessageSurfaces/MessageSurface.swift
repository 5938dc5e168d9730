package import HTTPServer
package import Possession
package import SurfaceKit

/// Calls by which carriers report on messages that they took.
package struct MessageSurface: Sendable {
    private static let calls: [SurfaceCall<MessageSurface>] = [
        SurfaceCall(TakeReceipt.operations) { [$0.takeReceipt.posted, $0.takeReceipt.queried] }
    ]

    private let takeReceipt: TakeReceipt

    /// - Parameters:
    ///   - reader: knows how the receipts of each gateway look.
    ///   - refused: told of each receipt that is not taken, with its gateway and why: `signature` or `malformed`.
    ///   - publicURL: under which carriers call this server; stands in what some of them sign.
    package init(
        engine: Engine, reader: any ReceiptReader, publicURL: String,
        refused: @escaping @Sendable (_ gateway: String, _ reason: String) -> Void = { _, _ in }
    ) {
        takeReceipt = TakeReceipt(
            receipts: ReceiptService(engine), reader: reader, publicURL: publicURL, refused: refused,
            report: engine.report)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// Where a gateway sends the receipts of a message.
    package static func receiptURL(_ publicURL: String, gateway: String, token: String) -> String {
        "\(publicURL)/receipts/\(gateway)/\(token)"
    }

    /// The surface in the API description.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))
}

extension SurfaceName {
    static let messages = SurfaceName(
        "Messages", about: "For the gateways that messages leave by. In live mode only.")
}
