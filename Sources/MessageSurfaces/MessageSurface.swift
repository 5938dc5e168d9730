package import HTTPServer
package import Engine
internal import Possession
package import SurfaceKit

/// Calls by which carriers report on messages that they accepted.
package struct MessageSurface: Sendable {
    private static let calls: [SurfaceCall<MessageSurface>] = [
        SurfaceCall(TakeReceipt.operations) { [$0.takeReceipt.posted, $0.takeReceipt.queried] }
    ]

    private let takeReceipt: TakeReceipt

    /// - Parameters:
    ///   - reader: knows the form of each gateway's receipts.
    ///   - refused: called with each refused receipt's gateway and the reason: `signature` or `malformed`.
    ///   - publicURL: the URL by which carriers call this server; part of the text that some of them sign.
    package init(
        engine: Engine, reader: any ReceiptReader, publicURL: String,
        refused: @escaping @Sendable (_ gateway: String, _ reason: String) -> Void = { _, _ in }
    ) {
        takeReceipt = TakeReceipt(
            receipts: ReceiptService(engine), reader: reader, publicURL: publicURL, refused: refused,
            report: engine.reports.log)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The URL for a gateway's receipts of a message.
    package static func receiptURL(_ publicURL: String, gateway: String, token: String) -> String {
        "\(publicURL)/receipts/\(gateway)/\(token)"
    }

    /// The API description of the surface.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))
}

extension SurfaceName {
    static let messages = SurfaceName(
        "Messages", about: "For the gateways that messages leave by. In live mode only.")
}
