import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Bodies that the three servers send, and mistakes in them.
@Suite(.timeLimit(.minutes(60))) struct HookBodyTests {
    private static func sms(_ members: String, user: String = "") -> String {
        #"{"user":{\#(user)},"sms":{"otp":"123456"\#(members)}}"#
    }

    @Test func `the number of the message comes before the one that is known`() async throws {
        let hooks = try await HookWorld()
        let changed = Self.sms(
            #","phone":"12065550199""#, user: #""phone":"12065550123","new_phone":"12065550199""#)
        #expect(await hooks.supabase(changed).json == JSONObject())
        #expect(await hooks.supabase(Self.sms("", user: #""phone":"12065550123""#)).json == JSONObject())
        #expect(hooks.world.gateway.sent.map(\.to.text) == ["+12065550199", "+12065550123"])
    }

    /// Else the code that proves a new number would go to the old one.
    @Test func `an older server that does not say which number it means is refused while one changes`() async throws {
        let hooks = try await HookWorld()
        let unclear = Self.sms("", user: #""phone":"12065550123","new_phone":"12065550199""#)
        let told = await hooks.supabase(unclear)
        #expect(told.hookError == 400 && told.hookMessage.contains("sms.phone") && hooks.codes.isEmpty)
    }

    @Test(arguments: [
        #"{"user":{"phone":"12065550123"}}"#, #"{"user":{"phone":"12065550123"},"sms":{}}"#,
        #"{"sms":{"otp":"123456"}}"#, #"{"user":null,"sms":{"otp":"123456"}}"#,
        #"{"sms":{"otp":"12345","phone":"abc"}}"#, #"{"sms":{"otp":123456,"phone":"12065550123"}}"#,
        #"{"sms":{"otp":"ABC123","phone":"12065550123"}}"#, #"{"sms":{"otp":"123","phone":"12065550123"}}"#,
        #"{"sms":{"otp":"12345678901","phone":"12065550123"}}"#, #"{"sms":[],"user":{"phone":"12065550123"}}"#,
        #"{"sms":{"otp":"123456","phone":"1"}}"#,
    ]) func `a member of Supabase Auth that is not as it must be is told with status 200`(body: String) async throws {
        let hooks = try await HookWorld()
        let told = await hooks.supabase(body)
        #expect(told.status == 200 && told.hookError == 400 && hooks.codes.isEmpty)
        #expect(!told.hookMessage.contains("123") && !told.hookMessage.contains("abc"), "no value is repeated")
    }

    @Test(arguments: [
        "{}", #"{"to":"+12065550123"}"#, #"{"code":"123456"}"#, #"{"to":"","code":"123456"}"#,
        #"{"to":"+1206555012\u0033\u0301","code":"123456"}"#, #"{"to":["+12065550123"],"code":"123456"}"#,
        #"{"to":"+12065550123","code":"1 2 3 4"}"#, #"{"to":"+12065550123","code":null}"#,
    ]) func `a member of Kratos that is not as it must be is refused`(body: String) async throws {
        let hooks = try await HookWorld()
        let answer = await hooks.client.send(World.request(.post, "/hooks/kratos", body, [hooks.basic()]))
        #expect(answer.status == 400 && answer.hookError == 400 && hooks.codes.isEmpty)
    }

    @Test(arguments: [
        "{}", #"{"contextInfo":{},"args":{"code":"123456"}}"#, HookWorld.zitadelBody(""),
        HookWorld.zitadelBody(#""code":"A1B2C3""#), HookWorld.zitadelBody(#""code":"""#),
    ]) func `a member of Zitadel that is not as it must be is refused`(body: String) async throws {
        let hooks = try await HookWorld()
        let answer = await hooks.zitadel(body)
        #expect(answer.status == 400 && answer.hookError == 400 && hooks.codes.isEmpty)
    }

    @Test(arguments: ["text/plain", "multipart/form-data", nil])
    func `takes JSON and forms only`(type: String?) async throws {
        let hooks = try await HookWorld()
        let body = #"{"to":"+12065550123","code":"123456"}"#
        let answer = await hooks.client.send(
            World.request(.post, "/hooks/kratos", body, [hooks.basic()], contentType: type))
        #expect(answer.status == 415)
    }

    @Test func `a body that is broken or too large is refused by its status`() async throws {
        let hooks = try await HookWorld()
        #expect(await hooks.supabase("{").status == 400)
        #expect(await hooks.supabase("").status == 400)
        let large = #"{"user":{"a":"\#(String(repeating: "a", count: 262_144))"}}"#
        #expect(await hooks.supabase(large).status == 413)
    }

    /// Deeper than a body may be, and more values than it may have.
    @Test func `data that a person has put into their account is passed over, whatever it is`() async throws {
        let hooks = try await HookWorld()
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let many = "[" + Array(repeating: "1", count: 70_000).joined(separator: ",") + "]"
        for (index, data) in [deep, many, #"{"a":"\u0022]}","a":"\\"}"#, "null"].enumerated() {
            let body =
                #"{"user":{"phone":"12065550123","user_metadata":\#(data),"app_metadata":[]},"#
                + #""sms":{"otp":"12345\#(index)"}}"#
            #expect(await hooks.supabase(body).json == JSONObject(), "\(index)")
        }
        #expect(hooks.codes == ["123450", "123451", "123452", "123453"])
        for broken in ["[}", "{", #""a"#, "]", "", "[1,2}"] {
            let body = #"{"user":{"user_metadata":\#(broken)},"sms":{"otp":"123456","phone":"12065550123"}}"#
            #expect(await hooks.supabase(body).status == 400, "\(broken)")
        }
    }

    @Test func `a person's own data is not looked at`() async throws {
        let hooks = try await HookWorld()
        let body =
            #"{"user":{"phone":"12065550123","user_metadata":{"a":[{"phone":7}]},"identities":null},"#
            + #""sms":{"otp":"123456","phone":"+12065550123"}}"#
        #expect(await hooks.supabase(body).json == JSONObject())
        #expect(hooks.codes == ["123456"])
    }
}
