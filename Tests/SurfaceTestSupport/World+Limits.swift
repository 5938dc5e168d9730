import Sandbox
import HTTPServer
import Possession
import StrictJSON
import TestSupport
import Testing

/// A world in which limits over sessions hold, and messages that count under them.
extension World {
    /// The limits of live, but for the time between two messages: most tests send several at one moment.
    static func limited(_ change: (inout Possession.Limits.OverSessions) -> Void = { _ in }) -> Options {
        var options = Options()
        var over = Possession.Limits.OverSessions()
        over.secondsBetweenSends = 0
        change(&over)
        options.limits.overSessions = over
        options.unknownNumbers = .simulate
        options.rules.allowPhoneChange = false
        return options
    }

    /// Sends one code to a number for the end user at `address`; the answer of the send.
    func send(to number: String, for address: String, as client: String = "sandbox") async -> Response {
        let started = await start(
            #"{"phoneNumber":"\#(number)","possessionType":"mobile","ipAddress":"\#(address)"}"#, as: client)
        let app = App(self, started)
        _ = await app.redeem()
        return await app.post("/otp")
    }

    static func number(_ index: Int) -> String { "+1201555\(1000 + index)" }
}

extension App {
    /// Answers the session's device challenge with the app's own key.
    func showKey() async throws {
        let challenge = try #require(await read().json["device"]?.object?["challenge"]?.string)
        let key = try #require(key)
        let answer = await post(
            "/device", #"{"proof":"device|\#(key.number)|\#(authID)|\#(challenge)|\#(key.number)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
    }
}
