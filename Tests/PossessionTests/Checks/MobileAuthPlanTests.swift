@testable import Possession
import Testing

/// When Mobile Auth belongs to the plan, and when it does not.
@Suite struct MobileAuthPlanTests {
    private func isPlanned(
        _ declaration: Session.Declaration, _ flow: SessionRequest.Flow = .mobile,
        number: PhoneNumber? = Fixture.lorant,
        wanted: Bool = true, by capabilities: Session.Capabilities = .init(mobileAuth: true)
    ) throws -> Bool {
        var session = Fixture.session(Fixture.request(flow, number: number) { $0.mobileAuth = wanted })
        try session.redeem(
            declaration, by: .bearer, challenge: Fixture.challenge(1), at: Fixture.start,
            rules: Rules(limits: Fixture.limits, capabilities: capabilities))
        #expect(session.allowed.contains(.mobileAuth) == session.mobileAuth.isPlanned)
        return session.mobileAuth.isPlanned
    }

    private let phone = Fixture.declaration(platform: .android, cellular: .yes)

    @Test func `runs on a phone where tenant and server want it`() throws {
        #expect(try isPlanned(phone))
        #expect(try !isPlanned(phone, wanted: false))
        #expect(try !isPlanned(phone, by: .init(mobileAuth: false)))
    }

    @Test(arguments: [
        (SessionRequest.Flow.mobile, true, true), (.mobile, false, true), (.none, false, true), (.none, true, false),
        (.desktop, true, false), (.desktop, false, false),
    ])
    func `fits the flow: mobile, and none without a number`(
        flow: SessionRequest.Flow, isNamed: Bool, isPlanned expected: Bool
    ) throws {
        #expect(try isPlanned(phone, flow, number: isNamed ? Fixture.lorant : nil) == expected)
    }

    @Test(arguments: [(Session.Declaration.Cellular.yes, true), (.unknown, true), (.no, false)])
    func `needs a cellular connection, or at least not none`(
        cellular: Session.Declaration.Cellular, isPlanned expected: Bool
    ) throws {
        #expect(try isPlanned(Fixture.declaration(platform: .ios, cellular: cellular)) == expected)
    }

    @Test(arguments: [true, false])
    func `runs without one in test mode, where the server hears of it`(isSandbox: Bool) throws {
        let wish = Fixture.declaration(platform: .ios, cellular: .no, testMode: true)
        #expect(try isPlanned(wish, by: .init(mobileAuth: true, testMode: isSandbox)) == isSandbox)
    }

    @Test func `keeps no wish for test mode that it does not hear`() throws {
        var session = Fixture.session()
        try session.redeem(
            Fixture.declaration(testMode: true), by: .bearer, challenge: Fixture.challenge(1), at: Fixture.start,
            rules: Fixture.rules)
        #expect(session.declaration?.testMode == false)
        #expect(session.declaration?.fallback == .otp)
    }

    @Test func `needs a page to come back to on the web`() throws {
        let page = "https://shop.example/back"
        #expect(try !isPlanned(Fixture.declaration(platform: .web, cellular: .yes)))
        #expect(try isPlanned(Fixture.declaration(platform: .web, cellular: .yes, mobileAuthReturnURL: page)))
    }

    @Test func `comes after the device key and before the fallback`() {
        #expect(Fixture.cellular(deviceKey: true).phase == .active(.device))
        #expect(Fixture.cellular(deviceKey: true).allowed == [.device, .mobileAuth, .otpStart, .cancel])
        #expect(Fixture.cellular().phase == .active(.mobileAuth))
        #expect(Fixture.cellular().allowed == [.mobileAuth, .otpStart, .cancel])
    }

    @Test func `ends a none flow without a number only when it has failed too`() {
        #expect(Fixture.cellular(.none, number: nil).phase == .active(.mobileAuth))
        #expect(Fixture.cellular(.none).outcome == .possessionRequired)
    }
}
