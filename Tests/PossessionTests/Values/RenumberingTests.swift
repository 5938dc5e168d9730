import Possession
import Testing

/// A country that gave all its numbers more digits.
@Suite struct RenumberingTests {
    @Test func `reads a number of before as the one of now, and knows both forms`() throws {
        let number = try #require(PhoneNumber(e164: "+22997000000"))
        #expect(number.e164 == "+2290197000000")
        #expect(number.formerE164 == "+22997000000")
        #expect(PhoneNumber(e164: "+2290197000000") == number)
        #expect(PhoneNumber.renumbered("97000000", in: "BJ") == number)
    }

    @Test func `digests go by the form of before, so that rows of then are found`() throws {
        let number = try #require(PhoneNumber(e164: "+2290197000000"))
        #expect(Target.number(number).canonical == "+22997000000")
        #expect(Target.number(number).text == "+2290197000000")
        #expect(Target("+22997000000") == .number(number))
    }

    @Test(arguments: [
        "+2299700000", "+229970000000", "+2290297000000", "+2250705000000", "+22507000000", "+12015550123",
    ])
    func `leaves every other number as it is`(text: String) throws {
        let number = try #require(PhoneNumber(e164: text))
        #expect(number.e164 == text && number.formerE164 == text)
        #expect(PhoneNumber.renumbered("97000000", in: "US") == nil)
    }
}
