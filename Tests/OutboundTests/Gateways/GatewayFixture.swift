import Foundation
import Locks
import StrictJSON
import Tokens

@testable import Outbound
@testable import Possession

/// Gateways whose other side is a script.
enum GatewayFixture {
    static let number = PhoneNumber(e164: "+12065550123")!
    static let address = EmailAddress("ada@example.com")!
    static let sentAt = Timestamp(seconds: 1_767_225_600)
    static let crypto = GatewayCrypto(
        hmac: { MessageCode.hmac($0.ofTokens, key: $1, $2) }, digest: { MessageCode.digest($0.ofTokens, $1) },
        verifyEd25519: { MessageCode.isEd25519($0, by: $1, of: $2) })

    static func message(
        id: UInt128 = 7, session: UInt128 = 9, ordinal: Int = 0, previous: OutgoingMessage.Taken? = nil,
        country: String? = "US",
        channels: [OutgoingMessage.Channel] = [.sms], text: String = "Your code is 123456.", lifetime: Int = 120,
        tenant: String = "acme", avoids: [ExcludedRoute] = [], isKept: @escaping @Sendable () -> Bool = { true }
    ) -> OutgoingMessage {
        let isMail = channels == [.email]
        return OutgoingMessage(
            id: MessageID(bits: id), to: isMail ? .email(address) : .number(number),
            forms: channels.map { OutgoingMessage.Form($0, subject: isMail ? "Your code" : nil, text: text) },
            code: OTP("123456"), correlationID: CorrelationID(bits: session), tenant: ClientID(tenant),
            country: isMail ? nil : country, ordinal: ordinal, previous: previous, avoids: avoids, sentAt: sentAt,
            usefulUntil: sentAt.adding(.seconds(lifetime)), receiptToken: { "TOKEN-\($0)" }, isKept: isKept)
    }

    static let presets = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/gateways")

    /// A preset's bytes without its comments, which stand on lines of their own.
    static func preset(_ name: String) throws -> [UInt8] {
        let text = try String(contentsOf: presets.appendingPathComponent(name + ".json"), encoding: .utf8)
        return Array(text.split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n").utf8)
    }

    static let sources = MessagingFile.Sources(
        preset: { (name) throws(MessagingFile.Unreadable) in
            do { return try preset(name) } catch { throw MessagingFile.Unreadable(reason: "there is no such preset") }
        },
        secret: { (path) throws(MessagingFile.Unreadable) in
            guard path.hasPrefix("/secrets/") else { throw MessagingFile.Unreadable(reason: "cannot be opened") }
            return String(path.dropFirst(9))
        },
        isCountry: { $0.utf8.count == 2 && $0.utf8.allSatisfy { (65...90).contains($0) } })

    static func file(_ text: String) throws -> MessagingFile { try MessagingFile(Array(text.utf8), sources) }

    static func mistakes(_ text: String) -> [String] {
        do {
            _ = try file(text)
            return []
        } catch { return (error as? MessagingFile.Mistakes)?.all ?? ["\(error)"] }
    }

    /// A server with the gateways `names`, all of the preset hook, whose calls `play` answers.
    static func routed(
        _ names: [String], routes: String? = nil, options: String = "", clock: FixedInstant = FixedInstant(),
        note: @escaping @Sendable (RoutedGateway.Try) -> Void = { _ in },
        _ play: @escaping @Sendable (_ gateway: String, OutboundRequest) async throws(OutboundFault) -> OutboundResponse
    ) throws -> RoutedGateway {
        let gateways = names.map {
            #""\#($0)": {"preset": "hook", "settings": {"url": "https://\#($0).example/"}, "#
                + #""secretFiles": {"secret": "/secrets/whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}\#(options)}"#
        }
        let quoted = names.map { "\"\($0)\"" }.joined(separator: ",")
        let routes = routes ?? #"[{"gateways": [\#(quoted)]}]"#
        let file = try file(#"{"gateways": {\#(gateways.joined(separator: ","))}, "routes": \#(routes)}"#)
        return RoutedGateway(
            file.plan(
                send: { (request) throws(OutboundFault) in
                    let host = request.url.dropFirst("https://".count).prefix { $0 != "." }
                    do throws(OutboundFault) { return try await play(String(host), request) } catch {
                        if error != .connect { request.progress?.noteSent() }
                        throw error
                    }
                }, crypto: crypto, systemNow: { sentAt }),
            receiptURL: { "https://holdfast.example/receipts/\($0)/\($1)" }, note: note, instant: { clock.now })
    }

    static let taken = OutboundResponse(status: 200, body: Array(#"{"id":"m1"}"#.utf8))
    static func refused(_ kind: String) -> OutboundResponse {
        OutboundResponse(status: 400, body: Array(#"{"error":{"kind":"\#(kind)"}}"#.utf8))
    }
}

extension GatewayCrypto.Hash {
    fileprivate var ofTokens: MessageCode.Hash {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
