import Foundation
import Testing

@testable import Wiring

/// DAT-02 on a whole server with its real keys: what callers send stands in no file of the data directory.
@Suite struct AtRestServerTests {
    private static let mark = "MARK4711neverInTheClear"
    private static let device = "01934711-4711-7711-8711-471147114711"

    /// As text, backwards, as hex, and as base64 at each of its three offsets.
    private static func forms(_ text: String) -> [Data] {
        let bytes = Array(text.utf8)
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let base64 = (0..<3).map { offset -> Data in
            let encoded = Data([UInt8](repeating: 0, count: offset) + bytes).base64EncodedString()
            return Data(encoded.dropFirst(offset == 0 ? 0 : 4).dropLast(4).utf8)
        }
        return [Data(bytes), Data(bytes.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)] + base64
    }

    @Test func `what callers say of a person stands in no file, in any form`() async throws {
        let directory = ServerFixture.freshDirectory()
        let configuration = try ServerFixture.configuration(directory, ["HOLDFAST_SANDBOX_UNKNOWN_NUMBERS": "simulate"])
        let secrets = [Self.mark, "2025550147", Self.device, Self.device.filter { $0 != "-" }]
        func check() throws {
            var bytes = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                guard let data = FileManager.default.contents(atPath: directory + "/" + name) else { continue }
                bytes += data.count
                for secret in secrets {
                    for form in Self.forms(secret) { #expect(data.range(of: form) == nil, "\(secret) in \(name)") }
                }
            }
            #expect(bytes > 50_000)
        }
        try await ServerFixture.withServer(configuration) { _, port in
            let token = try ServerFixture.token(port)
            let headers = ["Content-Type: application/json", "Authorization: Bearer \(token)"]
            let mark = Self.mark
            for (path, body) in [
                (
                    "/v3/unify",
                    #"{"possessionType":"desktop","phoneNumber":"+12025550147","clientRequestId":"\#(mark)r","#
                        + #""clientCustomerId":"\#(mark)c","clientHumanId":"\#(mark)h","deviceId":"\#(Self.device)","#
                        + #""finalTargetUrl":"https://example.com/\#(mark)","smsMessage":"\#(mark) says ####","#
                        + #""emailAddress":"\#(mark)@example.com","ipAddress":"192.0.2.1"}"#
                ),
                (
                    "/v3/identity",
                    #"{"phoneNumber":"+12025550147","clientCustomerId":"\#(mark)c","clientHumanId":"\#(mark)h","#
                        + #""deviceId":"\#(Self.device)","identityAttributes":[{"attributeType":"\#(mark)","#
                        + #""attributeValue":"\#(mark)"}]}"#
                ),
            ] {
                let answer = try ServerFixture.call(port, "POST", path, headers, body: body)
                #expect(answer.status == 200, "\(path): \(answer.text)")
            }
            try check()
        }
        try check()
    }
}
