import Sandbox
import Possession
import Testing

@Suite struct `A sandbox user` {
    private func user(otp: SandboxUser.CodeOutcome = .pass, codes: [String] = []) -> SandboxUser {
        SandboxUser(
            digits: "2001004014", number: Fixture.lorant, name: "A", region: .northAmerica, otp: otp,
            codes: codes.compactMap { OTP($0) })
    }

    @Test(arguments: [
        ([], 4, "1234"), ([], 5, "12345"), ([], 6, "123456"), ([], 10, "1234567890"), (["4321"], 4, "4321"),
        (["4321"], 6, "123456"), (["00000", "4321", "9999"], 4, "4321"), (["00000", "4321"], 5, "00000"),
    ])
    func `is sent the first of its codes with the length in use`(codes: [String], length: Int, shown: String) {
        #expect(user(codes: codes).shownCode(length: length).text == shown)
        #expect(user(otp: .fail, codes: codes).shownCode(length: length).text == shown)
    }

    @Test(arguments: [
        ([], "1234", true), ([], "123456", true), ([], "1235", false), ([], "1111", false),
        (["4321"], "4321", true), (["4321"], "1234", false), (["4321"], "123456", true), (["4321"], "432100", false),
        (["4321", "0000"], "0000", true), (["4321", "000000"], "000000", true), (["4321", "000000"], "123456", false),
    ])
    func `passes with any of its codes, else with the usual one of that length`(
        codes: [String], code: String, passes: Bool
    ) throws {
        let code = try #require(OTP(code))
        #expect(user(codes: codes).passes(code) == passes)
        #expect(!user(otp: .fail, codes: codes).passes(code))
    }

    @Test func `that is sent a code passes with it`() {
        for codes in [[], ["4321"], ["000000", "1111"]] {
            for length in 4...10 {
                let user = user(codes: codes)
                #expect(user.passes(user.shownCode(length: length)))
            }
        }
    }

    @Test func `with a bad reputation always has a reason, sorted by code`() {
        func standing(
            _ reputation: SandboxUser.ReputationOutcome, _ reasons: [Reputation.Reason] = []
        ) -> Reputation {
            SandboxUser(
                digits: "2001004014", number: Fixture.lorant, name: "A", region: .northAmerica,
                reputation: reputation, reputationReasons: reasons
            ).standing
        }
        let swap = Reputation.Reason(code: "9135", text: "SIM swap")
        let exposed = Reputation.Reason(code: "9132", text: "public texts")
        #expect(standing(.pass) == Reputation())
        #expect(standing(.pass, [swap]).passes)
        #expect(standing(.fail).failureReasons == [.init(code: "9133", text: "low SIM trust score")])
        #expect(standing(.fail, [swap, exposed]).failureReasons == [exposed, swap])
    }
}
