import Locks
import MessageSurfaces
import Engine
import Possession
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

@testable import HTTPServer
@testable import SurfaceTestSupport

@Suite struct TakeReceiptTests {
    /// Reads `state=delivered&code=30005`, signed by a header that says so.
    private struct Carrier: ReceiptReader {
        func read(_ call: ReceiptCall, from gateway: String) throws(ReceiptRefusal) -> ReceiptReading? {
            guard gateway.utf8.elementsEqual("main".utf8) else { return nil }
            guard call.header("x-signed") != nil else { throw .signature }
            let text = String(decoding: call.body.isEmpty ? call.query : call.body, as: UTF8.self)
            let fields = text.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
            guard let state = fields.first(where: { $0[0] == "state" })?[1] else {
                throw .malformed(reason: "there is no state")
            }
            let code = fields.first { $0[0] == "code" }?[1]
            return ReceiptReading(
                MessageReceipt(MessageReceipt.End.allCases.first { $0.rawValue == state }, code: code),
                answer: text.hasSuffix("ack") ? "ACK" : nil)
        }
    }

    private let world: World
    private let surface: MessageSurface

    init() async throws {
        world = try await World()
        surface = MessageSurface(engine: world.engine, reader: Carrier(), publicURL: "https://holdfast.example")
    }

    /// A session whose code was sent, and the token of the message.
    private func sent() async throws -> (World.Started, token: String) {
        let started = await world.start(
            #"{"phoneNumber":"2001004014","possessionType":"mobile","clientRequestId":"a"}"#)
        let app = App(world, started)
        _ = await app.redeem()
        #expect(await app.post("/otp").status == 200)
        let token = try #require(world.gateway.sent.last?.receiptToken)
        return (started, token("main"))
    }

    private func tell(
        _ body: String, _ token: String, gateway: String = "main", signed: Bool = true,
        method: HTTPServer.Method = .post
    ) async throws -> Response {
        let path = "/receipts/\(gateway)/\(token)"
        var request = World.request(
            method, path, method == .post ? body : "", signed ? [("X-Signed", "yes")] : [],
            contentType: "application/x-www-form-urlencoded")
        if method == .get { request.rawQuery = body }
        guard case .found(let route, let parameters) = Router(surface.routes).match(method, path: Array(path.utf8)[...])
        else {
            throw Missing()
        }
        request.parameters = parameters
        return await route.respond(request)
    }

    private struct Missing: Error {}

    private func timeline(_ started: World.Started) async throws -> [String] {
        let id = try #require(CorrelationID(started.correlationID))
        return try await world.store.events(of: id).compactMap { event in
            event.kind.rawValue.hasPrefix("message_") ? "\(event.kind.rawValue) \(event.detail ?? "")" : nil
        }
    }

    @Test(arguments: [
        ("delivered", "message_delivered"), ("undelivered", "message_undelivered"), ("expired", "message_expired"),
    ])
    func `notes how a message ended`(state: String, event: String) async throws {
        let (started, token) = try await sent()
        let answer = try await tell("state=\(state)&code=30005", token)
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(try await timeline(started) == ["\(event) main 30005"])
    }

    @Test func `takes a receipt from the query too`() async throws {
        let (started, token) = try await sent()
        #expect(try await tell("state=delivered", token, method: .get).status == 204)
        #expect(try await timeline(started) == ["message_delivered main"])
    }

    @Test(arguments: [
        (["delivered", "delivered"], ["delivered"]), (["undelivered", "delivered", "expired"], ["undelivered"]),
        (["expired", "undelivered", "delivered"], ["expired"]),
    ]) func `keeps the first end that is told`(states: [String], kept: [String]) async throws {
        let (started, token) = try await sent()
        for state in states { #expect(try await tell("state=\(state)", token).status == 204) }
        #expect(try await timeline(started) == kept.map { "message_\($0) main" })
    }

    /// Each part of a long message has a receipt of its own.
    @Test func `a failure that follows a delivery is the end, once`() async throws {
        let (started, token) = try await sent()
        for state in ["delivered", "undelivered", "delivered", "expired"] {
            #expect(try await tell("state=\(state)", token).status == 204)
        }
        #expect(try await timeline(started) == ["message_delivered main", "message_undelivered main"])
    }

    @Test func `a message on its way ends nothing`() async throws {
        let (started, token) = try await sent()
        #expect(try await tell("state=sent", token).status == 204)
        #expect(try await timeline(started).isEmpty)
    }

    @Test func `answers with the word that a carrier wants to read`() async throws {
        let (_, token) = try await sent()
        let answer = try await tell("state=delivered&x=ack", token)
        #expect(answer.status == 200 && answer.body == Array("ACK".utf8))
    }

    @Test func `answers a stranger's guess with 204 whatever comes with it, and keeps nothing`() async throws {
        let (started, token) = try await sent()
        let last = token.last == "A" ? "B" : "A"
        let guesses = ["x", String(repeating: "A", count: 64), token.dropLast() + last, String(token.dropLast(4))]
        for guess in guesses {
            for (body, signed) in [("state=delivered", true), ("state=delivered", false), ("a=b", true), ("ack", true)]
            {
                let answer = try await tell(body, guess, signed: signed)
                #expect(answer.status == 204 && answer.body.isEmpty)
            }
        }
        #expect(world.reports.withLock { $0 }.isEmpty)
        #expect(try await tell("state=delivered", token, gateway: "other").status == 204)
        #expect(try await timeline(started).isEmpty)
    }

    @Test func `refuses what its carrier did not sign, and what says nothing`() async throws {
        let (started, token) = try await sent()
        #expect(try await tell("state=delivered", token, signed: false).status == 403)
        let answer = try await tell("a=b", token)
        #expect(answer.status == 400 && answer.json["message"] == "there is no state")
        #expect(try await timeline(started).isEmpty)
        // Neither line has the token.
        let reports = world.reports.withLock { $0 }
        #expect(reports.count == 2 && reports.allSatisfy { !$0.contains(token) })
    }

    @Test func `describes what a guess and what a genuine token gets`() throws {
        let operations = MessageSurface.description.operations
        #expect(operations.count == 2)
        for operation in operations {
            #expect(operation.detail.contains("An unknown token is answered with 204, whatever comes with it."))
            #expect(operation.answers.map(\.status) == [204, 200] && operation.errors.map(\.status) == [400, 403])
        }
    }

    @Test func `a receipt that comes before the carrier's answer is taken`() async throws {
        let (started, token) = try await sent()
        let id = try #require(world.gateway.sent.last?.id)
        #expect(try await tell("state=delivered", token).status == 204)
        #expect(world.store.state(of: id) == .sent)
        #expect(try await timeline(started).count == 1)
    }
}
