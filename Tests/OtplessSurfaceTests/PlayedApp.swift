import HTTPServer
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OtplessSurface
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// An app that has started.
struct PlayedApp: Sendable {
    let otpless: OtplessWorld
    let state: String

    /// A server whose client has this order of channels.
    static func world(
        _ channels: [OutgoingMessage.Channel] = [.whatsapp, .sms], seconds: Int? = nil,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }
    ) async throws -> OtplessWorld {
        var options = World.Options()
        options.rules.smartChannels = channels
        options.rules.secondsPerChannel = seconds
        return try await OtplessWorld(options, carries: carries)
    }

    init(_ otpless: OtplessWorld, as client: String = "sandbox") async throws {
        self.otpless = otpless
        state = try #require(await otpless.get("/v2/state?appId=\(client)").json["state"]?.string)
    }

    func post(_ call: String, _ body: String) async -> Response {
        var request = World.request(.post, "/otpless/v3/lp/user/transaction/\(call)/\(state)", body, [])
        request.peer = PeerAddress(ipv4: (198, 51, 100, 1))
        return await otpless.client.send(request)
    }

    func config() async -> Response { await otpless.get("/v2/lp/merchant/config/\(state)") }
    func intent(_ members: String) async -> Response { await post("intent", "{\(members)}") }
    func check(_ code: String) async -> Response { await post("otp", #"{"otp":"\#(code)"}"#) }

    func silentStatus(_ query: String = "") async -> Response {
        await otpless.get("/v3/lp/user/transaction/silent-auth-status/\(state)\(query)")
    }

    func status(_ query: String = "") async -> Response {
        await otpless.get("/v3/lp/user/transaction/status/\(state)\(query)")
    }

    func mode() async -> String? { await status().json["authDetail"]?.object?["communicationMode"]?.string }

    /// Says what became of a message; `nil`: of the newest one.
    func tell(_ end: MessageReceipt.End, message index: Int? = nil) async throws {
        let sent = otpless.world.gateway.sent
        let message = index.map { sent[$0] } ?? sent[sent.count - 1]
        let receipts = ReceiptService(otpless.world.engine)
        let token = try #require(message.receiptToken?("main"))
        let subject = try #require(receipts.message(of: token, from: "main"))
        try await receipts.take(MessageReceipt(end), for: subject, from: "main")
    }
}
