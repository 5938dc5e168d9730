import Locks
import Engine
import Possession
import Testing
import Text

@testable import Outbound

/// Asking a receiver whether it agrees: what goes out, and what its answer comes to.
@Suite struct WebhookHandshakeTests {
    private static let client = ClientID("shop")!

    private func handshake(_ send: @escaping OutboundSend) -> WebhookHandshake {
        WebhookHandshake(origin: "me.example", addresses: .publicAnd(AddressRanges()), send: send)
    }

    @Test func `names who would send, and follows the rules of every webhook`() async throws {
        let requests = Locked<[OutboundRequest]>([])
        let handshake = handshake { (request) throws(OutboundFault) in
            requests.withLock { $0.append(request) }
            return OutboundResponse(status: 200, headers: [("WebHook-Allowed-Origin", "*")])
        }
        #expect(await handshake.ask("https://shop.example/h?token=1", for: Self.client) == .given)
        let request = try #require(requests.withLock { $0.first })
        #expect(request.method == "OPTIONS" && request.url == "https://shop.example/h?token=1" && request.body.isEmpty)
        #expect(request.headers.first { $0.name == "WebHook-Request-Origin" }?.value == "me.example")
        #expect(request.addresses == .publicAnd(AddressRanges()) && request.timeout == .seconds(5))
        #expect(request.maxResponseBytes == 4096 && request.takesBeginning)
    }

    @Test(arguments: [
        (200, ["WebHook-Allowed-Origin": "me.example"], WebhookConsent.given),
        (204, ["webhook-allowed-origin": "ME.example", "WebHook-Allowed-Rate": "1"], .given),
        (200, ["WebHook-Allowed-Origin": "other.example"], .withheld),
        (200, ["WebHook-Allowed-Origin": "me.example.org"], .withheld),
        (200, ["WebHook-Allowed-Origin": ""], .withheld), (200, ["WebHook-Allowed-Origin": "*.example"], .withheld),
        (200, ["Allow": "POST"], .withheld), (405, [:], .withheld),
        (302, ["WebHook-Allowed-Origin": "*", "Location": "https://b.example"], .withheld),
        (500, ["WebHook-Allowed-Origin": "*"], .withheld),
    ])
    func `takes the header of a good answer for consent, and nothing else`(
        status: Int, headers: [String: String], consent: WebhookConsent
    ) async {
        let handshake = handshake { (_) throws(OutboundFault) in
            OutboundResponse(status: status, headers: headers.map { ($0.key, $0.value) })
        }
        #expect(await handshake.ask("https://shop.example/h", for: Self.client) == consent)
    }

    @Test(arguments: [
        (OutboundFault.timeout, WebhookAttempt.Failure.timeout), (.connect, .refused), (.tls, .tls),
        (.tooLarge, .broken),
    ])
    func `says why there was no answer`(fault: OutboundFault, failure: WebhookAttempt.Failure) async {
        let handshake = handshake { (_) throws(OutboundFault) in throw fault }
        #expect(await handshake.ask("https://shop.example/h", for: Self.client) == .unanswered(failure))
    }

    @Test func `asks one receiver of a client at a time`() async {
        let (asked, noteAsked) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let handshake = handshake { (request) throws(OutboundFault) in
            noteAsked.yield()
            if request.url.hasSuffix("/slow") { for await _ in answers { break } }
            return OutboundResponse(status: 200, headers: [("WebHook-Allowed-Origin", "*")])
        }
        async let first = handshake.ask("https://shop.example/slow", for: Self.client)
        for await _ in asked { break }
        #expect(await handshake.ask("https://shop.example/h", for: Self.client) == .busy)
        #expect(await handshake.ask("https://shop.example/h", for: ClientID("other")!) == .given)
        answer.yield()
        #expect(await first == .given)
        #expect(await handshake.ask("https://shop.example/h", for: Self.client) == .given)
    }
}
