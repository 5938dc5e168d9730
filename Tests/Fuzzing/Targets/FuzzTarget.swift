/// One parser under the fuzzer: a function that takes any bytes and holds what is true of all of them.
///
/// It has no state between inputs: the same bytes do the same in every process, so that a file reproduces a find.
struct FuzzTarget: Sendable {
    let name: String
    /// Longer inputs are not made: what is refused for its size alone teaches nothing.
    let maxBytes: Int
    let take: @Sendable ([UInt8]) -> Void
    /// The file of the input, where it comes from one: a broken rule names it. libFuzzer keeps its inputs itself.
    @TaskLocal static var input: String?

    init(_ name: String, maxBytes: Int = 4096, _ take: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.maxBytes = maxBytes
        self.take = take
    }

    /// Every target. A new one is a file with its static member, and a line here.
    static let all: [FuzzTarget] = [
        .http, .chunks, .json, .form, .query, .cookies, .fields, .addresses, .jwt, .dpop, .mobileAuth, .template,
        .phone, .sandboxUsers, .people, .control, .configuration, .texts, .records, .keyset, .answers,
        .backups, .otpless, .otplessState, .otplessNumber, .powerAuthHeader, .envelope, .temporaryKey, .identification,
        .activationOrder, .commands,
    ]
}

/// Ends the process, with the rule that does not hold, unless it holds. libFuzzer then keeps the input.
func require(_ holds: @autoclosure () -> Bool, _ rule: @autoclosure () -> String) {
    guard holds() else { fatalError("does not hold: \(rule())\(FuzzTarget.input.map { " of \($0)" } ?? "")") }
}

/// Cuts an input into the parts that a target needs: its first bytes choose, the rest is text.
struct Choices {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next byte; 0 at the end.
    mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

    /// A number below `bound`, which is at most 256.
    mutating func number(below bound: Int) -> Int { byte() % bound }

    /// The bytes up to the next 0xFF, or to the end. No text of UTF-8 has that byte.
    mutating func part() -> [UInt8] {
        let part = rest.prefix { $0 != 0xFF }
        rest = rest[part.endIndex...].dropFirst()
        return Array(part)
    }

    /// The same as a text; what is no UTF-8 becomes a replacement character.
    mutating func text() -> String { String(decoding: part(), as: UTF8.self) }
}
