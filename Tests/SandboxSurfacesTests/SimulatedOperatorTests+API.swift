import HTTPServer
import Possession
import StrictJSON
import Testing

@testable import SurfaceTestSupport

/// Number Verification, with a token of the simulated operator or without.
extension SimulatedOperatorTests {
    private static let json = (name: "Content-Type", value: "application/json")

    private func read(
        _ token: String?, _ headers: [(name: String, value: String)] = []
    ) async -> Response {
        let authorization = token.map { [(name: "Authorization", value: "Bearer " + $0)] } ?? []
        return await send(.get, "/number-verification/v2/device-phone-number", authorization + headers)
    }

    private func verify(_ token: String, _ body: String) async -> Response {
        await send(
            .post, "/number-verification/v2/verify", [("Authorization", "Bearer " + token), Self.json], body: body)
    }

    private func expect(_ response: Response, _ status: Int, _ code: String) throws {
        let object = try JSONObject.parse(response.body)
        #expect(response.status == status)
        #expect(object.names == ["status", "code", "message"])
        #expect(object["status"] == .integer(Int64(status)))
        #expect(object["code"] == .string(code))
    }

    @Test(
        arguments: [
            (nil, "+12001004016"), ("+12001004016", "+12001004016"),
        ] as [(String?, String)])
    func `tells the number of the connection`(hint: String?, number: String) async throws {
        let response = await read(try await token(hint: hint))
        #expect(response.status == 200)
        #expect(try JSONObject.parse(response.body) == ["devicePhoneNumber": .string(number)])
    }

    private static let notOnNetwork = "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK"

    @Test(arguments: ["+12001004015", "+12001004017"]) func `finds no number`(hint: String) async throws {
        try expect(await read(try await token(hint: hint)), 403, Self.notOnNetwork)
    }

    /// Hash that the fake makes of every number.
    private static let hash = String(repeating: "01", count: 32)

    @Test(
        arguments: [
            (nil, #"{"phoneNumber":"+12001004016"}"#, true), (nil, #"{"phoneNumber":"+12001004014"}"#, false),
            ("+12001004015", #"{"phoneNumber":"+12001004015"}"#, false),
            (nil, #"{"hashedPhoneNumber":"\#(hash)"}"#, true),
            (nil, #"{"hashedPhoneNumber":"\#(String(repeating: "AB", count: 32))"}"#, false),
            ("+12001004015", #"{"hashedPhoneNumber":"\#(hash)"}"#, false),
        ] as [(String?, String, Bool)])
    func `compares a number with the connection's`(hint: String?, body: String, isSame: Bool) async throws {
        let response = await verify(try await token(scope: Self.verifyScope, hint: hint), body)
        #expect(response.status == 200)
        #expect(try JSONObject.parse(response.body) == ["devicePhoneNumberVerified": .bool(isSame)])
    }

    @Test(arguments: ["+12001004017", "+14155550100"])
    func `has no connection of some users, and of nobody else`(number: String) async throws {
        let token = try await token(scope: Self.verifyScope, hint: number)
        try expect(await verify(token, "{\"phoneNumber\":\"\(number)\"}"), 403, Self.notOnNetwork)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"phoneNumber":"2001004016"}"#, #"{"phoneNumber":"+0200100401"}"#, #"{"phoneNumber":7}"#,
        #"{"phoneNumber":null}"#, #"{"phoneNumber":"+12001004016","hashedPhoneNumber":"\#(hash)"}"#,
        #"{"hashedPhoneNumber":"01"}"#, #"{"hashedPhoneNumber":"\#(String(repeating: "g", count: 64))"}"#,
        #"{"phoneNumber":"+12001004016","phoneNumber":"+12001004016"}"#,
    ]) func `wants exactly one number`(body: String) async throws {
        try expect(await verify(try await token(scope: Self.verifyScope), body), 400, "INVALID_ARGUMENT")
    }

    @Test func `takes a token once`() async throws {
        let token = try await token()
        #expect(await read(token).status == 200)
        try expect(await read(token), 401, "UNAUTHENTICATED")
    }

    @Test(arguments: [(299, 200), (300, 401)]) func `takes a token for 300 seconds`(age: Int, status: Int) async throws
    {
        let token = try await token()
        pass(age)
        #expect(await read(token).status == status)
    }

    @Test func `takes no token for the other call, and uses it up`() async throws {
        let token = try await token(scope: Self.verifyScope)
        try expect(await read(token), 403, "PERMISSION_DENIED")
        try expect(await verify(token, #"{"phoneNumber":"+12001004016"}"#), 401, "UNAUTHENTICATED")
    }

    @Test func `wants a token of its own`() async throws {
        try expect(await read(nil), 401, "UNAUTHENTICATED")
        try expect(await read("AAAA"), 401, "UNAUTHENTICATED")
        try expect(await read(try await code()), 401, "UNAUTHENTICATED")
        let token = try await token()
        try expect(await read(token, [("Authorization", "Bearer " + token)]), 401, "UNAUTHENTICATED")
        #expect(await read(token).status == 200)
    }

    @Test func `sends the correlator back, with an error too`() async throws {
        let answer = await read(try await token(), [("x-correlator", "a-1_:;./<>{}")])
        #expect(field("x-correlator", of: answer) == "a-1_:;./<>{}")
        #expect(field("x-correlator", of: await read(nil, [("x-correlator", "b")])) == "b")
        #expect(field("x-correlator", of: await read(nil)) == nil)
        let bad = await read(try await token(), [("x-correlator", "a b")])
        try expect(bad, 400, "INVALID_ARGUMENT")
        #expect(field("x-correlator", of: bad) == nil)
        let long = String(repeating: "a", count: 257)
        try expect(await read(nil, [("x-correlator", long)]), 400, "INVALID_ARGUMENT")
        try expect(await read(nil, [("x-correlator", String(long.dropLast()))]), 401, "UNAUTHENTICATED")
    }

    @Test func `ends a call that hangs when its caller goes`() async throws {
        let token = try await token(hint: "+12001004018")
        let call = Task { await read(token) }
        call.cancel()
        try expect(await call.value, 504, "TIMEOUT")
    }
}
