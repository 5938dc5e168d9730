import Possession
import Testing

@Suite struct ConstantTimeTests {
    @Test func `bytes are equal only when each one is, and none are equal to nothing`() {
        let code: [UInt8] = [0, 5, 3, 6, 255, 128]
        #expect(constantTimeEqual(code, code))
        for index in code.indices {
            for byte in UInt8.min...UInt8.max where byte != code[index] {
                var other = code
                other[index] = byte
                #expect(!constantTimeEqual(code, other) && !constantTimeEqual(other, code))
            }
        }
        #expect(!constantTimeEqual(code, Array(code.dropLast())) && !constantTimeEqual([], [0]))
        #expect(!constantTimeEqual([], []))
    }

    @Test func `differences do not make up for one another`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where first != 0 || second != 0 {
                if constantTimeEqual([0, 0, 0], [first, second, first ^ second])
                    || constantTimeEqual([first, second, first | second], [0, 0, 0])
                {
                    Issue.record("\(first) and \(second) cancel out")
                    return
                }
            }
        }
    }
}
