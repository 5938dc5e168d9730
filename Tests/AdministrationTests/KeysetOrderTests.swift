import Testing

@testable import Administration

@Suite struct KeysetOrderTests {
    @Test func `what a command writes, the server reads`() {
        for order in [KeysetOrder.rotateMaster(newKeyFile: nil), .rotateMaster(newKeyFile: "/run/a \"b\".key")] {
            #expect(KeysetOrder.rotateMaster(order.body) == order)
        }
        #expect(KeysetOrder.status.method == "GET" && KeysetOrder.rotateSealing.method == "POST")
        #expect(KeysetOrder.status.body.isEmpty && KeysetOrder.rotateSealing.body.isEmpty)
    }

    @Test(arguments: [
        "{}", "[]", "x", #"{"newKeyFile":7}"#, #"{"newKeyFile":""}"#, #"{"newKeyFile":"a.key"}"#,
        #"{"newKeyFile":"/a\u0000b"}"#, #"{"newKeyFile":"/a","more":1}"#,
    ])
    func `refuses every other body`(body: String) {
        #expect(KeysetOrder.rotateMaster(Array(body.utf8)) == nil)
    }

    @Test func `takes the longest path there is, and none longer`() {
        #expect(KeysetOrder.isPath("/" + String(repeating: "a", count: 4094)))
        #expect(!KeysetOrder.isPath("/" + String(repeating: "a", count: 4095)))
    }

    @Test func `the log has changes only, and no path`() {
        #expect(OperatorAct(.keysets(.status)) == nil)
        #expect(OperatorAct(.keysets(.rotateSealing))?.what == "sealing key rotated")
        let added = OperatorAct(.keysets(.rotateMaster(newKeyFile: "/run/secrets/k")))
        #expect(added?.what == "master key added" && added?.context.isEmpty == true)
    }
}
