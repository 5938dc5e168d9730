internal import Engine
internal import Possession
internal import Text

/// The refusals of gateways, as stored in `messages.refusals`: one line each, with tabs between gateway, channel,
/// outcome, the carrier's code and the reason.
enum StoredRefusals {
    private static let most = 16
    private static let maxReasonBytes = 256

    /// `nil`: no refusals.
    static func text(_ refusals: [GatewayRefusal]) -> String? {
        guard !refusals.isEmpty else { return nil }
        return refusals.prefix(most).map { refusal in
            [
                refusal.gateway ?? "", refusal.channel?.rawValue ?? "", refusal.outcome, refusal.code ?? "",
                refusal.reason,
            ].map(plain).joined(separator: "\t")
        }.joined(separator: "\n")
    }

    /// The text without control characters, cut to `maxReasonBytes`.
    private static func plain(_ text: String) -> String {
        let bytes = text.utf8.prefix(maxReasonBytes).map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Throws: `.corrupt`.
    static func refusals(_ text: String?) throws(StorageFault) -> [GatewayRefusal] {
        guard let text else { return [] }
        var refusals: [GatewayRefusal] = []
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            guard parts.count == 5 else { throw .corrupt(what: "messages.refusals") }
            func part(_ index: Int) -> String? {
                parts[index].isEmpty ? nil : String(decoding: parts[index], as: UTF8.self)
            }
            let channel = OutgoingMessage.Channel.allCases.first { parts[1].elementsEqual($0.rawValue.utf8) }
            refusals.append(
                GatewayRefusal(
                    gateway: part(0), channel: channel, outcome: part(2) ?? "", code: part(3), reason: part(4) ?? ""))
        }
        return refusals
    }
}
