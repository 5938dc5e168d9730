import Foundation
import TestSupport
import Testing

@testable import Wiring

/// Receipts of the sandbox's carrier, through the whole server.
@Suite struct SandboxReceiptTests {
    let directory = ServerFixture.freshDirectory()

    /// The events of a session to a number, once its code was asked for, and what its inbox has: the channels.
    private func sent(to number: String) async throws -> (events: [String], inbox: [String]) {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let configuration = try ServerFixture.configuration(
            directory, ["HOLDFAST_MESSAGING_CHANNELS": "whatsapp,sms"])
        return try await ServerFixture.withServer(configuration) { _, port in
            let started = try post(
                port, "/v3/unify", try ServerFixture.token(port),
                #"{"phoneNumber":"\#(number)","possessionType":"mobile"}"#)
            let client = started.member("authToken")
            _ = try post(port, "/client/v1/session", client, #"{"platform":"web","sdk":"t","fallback":"otp"}"#)
            #expect(try post(port, "/client/v1/session/otp", client, "{}").status == 200)
            let events = try list(port, "/sandbox/sessions/" + started.member("correlationId"), "events")
            let messages = try list(port, "/sandbox/messages?to=\(number)", "messages")
            return (
                events.map { "\($0["event"] ?? "") \($0["detail"] ?? "")" }, messages.map { "\($0["channel"] ?? "")" }
            )
        }
    }

    private func post(
        _ port: UInt16, _ path: String, _ token: String, _ body: String
    ) throws -> ServerFixture.Answer {
        try ServerFixture.call(
            port, "POST", path, ["Content-Type: application/json", "Authorization: Bearer \(token)"], body: body)
    }

    private func list(_ port: UInt16, _ path: String, _ name: String) throws -> [[String: Any]] {
        let answer = try ServerFixture.call(port, "GET", path)
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return object?[name] as? [[String: Any]] ?? []
    }

    @Test func `a message that arrives is told as delivered before the call that asked for it is answered`()
        async throws
    {
        let (events, inbox) = try await sent(to: "2001004015")
        #expect(events.suffix(2) == ["otp_sent first", "message_delivered sandbox-whatsapp"])
        #expect(inbox == ["whatsapp"])
    }

    @Test func `a code that WhatsApp does not deliver goes by SMS`() async throws {
        let (events, inbox) = try await sent(to: "2001004091")
        #expect(
            events.suffix(4) == [
                "otp_sent first", "message_undelivered sandbox-whatsapp", "otp_sent next_route",
                "message_delivered sandbox-sms",
            ])
        #expect(inbox == ["sms"])
    }

    @Test func `a carrier that says nothing leaves the message as sent`() async throws {
        let (events, inbox) = try await sent(to: "2001004092")
        #expect(events.last == "otp_sent first" && inbox == ["whatsapp"])
    }
}
