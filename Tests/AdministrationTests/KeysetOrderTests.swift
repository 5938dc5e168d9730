import Testing

@testable import Administration

@Suite struct KeysetOrderTests {
    @Test func `what a command writes, the server reads`() throws {
        let call = RotateMasterKey.call
        for order in [RotateMasterKey(newKeyFile: nil), RotateMasterKey(newKeyFile: "/run/a \"b\".key")] {
            #expect(try call.read(call.written(order).body) == order)
        }
        #expect(ShowKeyStatus.call.method == .get && RotateSealingKey.call.method == .post)
        #expect(ShowKeyStatus.call.written(ShowKeyStatus()).body.isEmpty)
        #expect(RotateSealingKey.call.written(RotateSealingKey()).body.isEmpty)
    }

    @Test(arguments: [
        "{}", "[]", "x", #"{"newKeyFile":7}"#, #"{"newKeyFile":""}"#, #"{"newKeyFile":"a.key"}"#,
        #"{"newKeyFile":"/a\u0000b"}"#, #"{"newKeyFile":"/a","more":1}"#,
    ])
    func `refuses every other body`(body: String) {
        #expect(throws: Administrator.Refusal.self) { try RotateMasterKey.call.read(Array(body.utf8)) }
    }

    @Test func `takes the longest path there is, and none longer`() {
        #expect(RotateMasterKey.isPath("/" + String(repeating: "a", count: 4094)))
        #expect(!RotateMasterKey.isPath("/" + String(repeating: "a", count: 4095)))
    }

    @Test func `the log has changes only, and no path`() {
        #expect(ShowKeyStatus().act == nil)
        #expect(RotateSealingKey().act?.what == "sealing key rotated")
        let added = RotateMasterKey(newKeyFile: "/run/secrets/k").act
        #expect(added?.what == "master key added" && added?.context.isEmpty == true)
    }
}
