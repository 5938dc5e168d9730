import Locks
import StrictJSON
import Testing
import Text
import Tokens

@testable import Administration
@testable import Engine
@testable import Possession
@testable import SQLiteStorage
@testable import Storage
@testable import Wiring

// Within the other suite, because both need the one thread of the pool that tests that block leave.
extension WebhookKeyTests {
    /// The RSA key of ID tokens.
    @Suite(.serialized) struct IDTokenKeyTests {
        private let directory = ServerFixture.freshDirectory()

        private func post(_ port: UInt16, _ path: String, _ body: String) throws -> ServerFixture.Answer {
            try ServerFixture.call(
                port, "POST", "/otpless/auth/v1" + path,
                ["clientId: sandbox", "clientSecret: sandbox-secret", "Content-Type: application/json"], body: body)
        }

        /// The token of a success.
        private func freshToken(_ port: UInt16) throws -> String {
            let id = try post(port, "/initiate/otp", #"{"phoneNumber":"+12001004014"}"#).member("requestId")
            #expect(try post(port, "/verify/otp", #"{"requestId":"\#(id)","otp":"123456"}"#).status == 200)
            return try post(port, "/status", #"{"requestId":"\#(id)"}"#).member("token")
        }

        /// `kid` of an ID token.
        private func signer(_ port: UInt16, _ token: String) throws -> String {
            let idToken = try post(port, "/validate/token", #"{"token":"\#(token)"}"#).member("idToken")
            let header = try #require(Base64URL.decode(String(idToken.prefix { $0 != "." })))
            let object = try JSONObject.parse(header)
            #expect(object["alg"] == "RS256")
            return object["kid"]?.string ?? ""
        }

        private func keys(_ port: UInt16) throws -> [String] {
            let set = try ServerFixture.call(port, "GET", "/otpless/.well-known/jwks")
            return (try JSONObject.parse(Array(set.text.utf8))["keys"]?.array ?? []).compactMap {
                $0.object?["kid"]?.string
            }
        }

        @Test func `is made with the first token, stays over a restart, and is rotated with the others`() async throws {
            let configuration = try ServerFixture.configuration(directory)
            let made = try await ServerFixture.withServer(configuration) { _, port throws -> [String] in
                let token = try freshToken(port)
                #expect(try keys(port).isEmpty)
                let first = try signer(port, token)
                #expect(try keys(port) == [first])
                #expect(try signer(port, token) == first)
                #expect(try !ServerFixture.call(port, "GET", "/.well-known/jwks.json").text.contains("RSA"))
                return [first, token]
            }
            let (first, token) = (made[0], made[1])
            try await ServerFixture.withServer(configuration) { _, port throws -> Void in
                #expect(try keys(port) == [first])
                #expect(try signer(port, token) == first)
                let control = ControlClient(socket: Assembly.controlSocketPath(configuration))
                let listed = try #require(try control.send(RotateSigningKeys()).object["keys"]?.array)
                let shown = listed.compactMap(\.object).filter { $0["purpose"] == "idToken" }
                #expect(shown.map { $0["signs"] } == [true, false])
                let names = shown.compactMap { $0["kid"]?.string }
                #expect(try keys(port) == names)
                #expect(try signer(port, token) == first)
                let clock = ["Content-Type: application/json"]
                _ = try ServerFixture.call(port, "POST", "/sandbox/clock", clock, body: #"{"advanceSeconds":300}"#)
                #expect(try signer(port, token) == names.last)
                #expect(try keys(port) == names.reversed())
            }
        }

        @Test func `is one key for all who need the first one at once`() async throws {
            let store = try await Store.open(try ServerFixture.configuration(directory))
            let tokens = try await store.tokenService(publicURL: "https://device.example")
            let issuer = IDTokens(tokens, keeper: store.keeper, now: store.now)
            let now = store.now()
            let token = IDToken(
                issuer: "https://device.example", audience: try #require(ClientID("sandbox")), subject: "MO-1",
                provenAt: now, claims: [])
            #expect(issuer.idTokenKeySet(at: now) == nil)
            let signed = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<16 { group.addTask { try? await issuer.issueIDToken(token, at: now) } }
                return await group.reduce(into: [String?]()) { $0.append($1) }
            }
            // RS256 has no chance in it.
            #expect(signed.count == 16 && Set(signed).count == 1 && signed.first != .some(nil))
            #expect(try await store.keeper.load(at: now).keys.count { $0.purpose == .idToken } == 1)
            await store.close()
        }
    }
}
