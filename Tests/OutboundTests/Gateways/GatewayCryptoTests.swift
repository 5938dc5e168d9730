import Testing

@testable import Outbound

@Suite struct GatewayCryptoTests {
    @Test func `codes are the same only when every byte is`() {
        let code: [UInt8] = [0, 5, 3, 6, 255, 128]
        #expect(GatewayCrypto.areSame(code, code) && GatewayCrypto.areSame([], []))
        for index in code.indices {
            for byte in UInt8.min...UInt8.max where byte != code[index] {
                var other = code
                other[index] = byte
                #expect(!GatewayCrypto.areSame(code, other) && !GatewayCrypto.areSame(other, code))
            }
        }
        #expect(!GatewayCrypto.areSame(code, Array(code.dropLast())) && !GatewayCrypto.areSame([], [0]))
    }

    /// Differences of several bytes must not cancel out.
    @Test func `differences do not make up for one another`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where first != 0 || second != 0 {
                if GatewayCrypto.areSame([0, 0, 0], [first, second, first ^ second])
                    || GatewayCrypto.areSame([first, second, first | second], [0, 0, 0])
                {
                    Issue.record("\(first) and \(second) cancel out")
                    return
                }
            }
        }
    }
}
