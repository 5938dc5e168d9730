import TestSupport
import Testing

@testable import Engine
@testable import Possession

/// Commands are values: a storage engine may run a change again, and gets the same. Each seed draws a session and a row of
/// commands, and runs each of them twice on the same change. `SessionChange.apply` holds the invariants of sessions meanwhile.
@Suite(.timeLimit(.minutes(60))) struct SessionCommandTests {
    private static let commandsOfSeed = 30

    @Test(arguments: UInt64(1)...60) func `a command that is run again does the same`(seed: UInt64) throws {
        var dice = SessionGenerator(seed: seed)
        let clock = FixedClock()
        let stores = Stores(InMemoryStore())
        let engine = ServerProcess(stores, stores.outbox, clock).engine
        let commands = SessionCommands(engine)
        var session = Sample.session(at: clock.now())
        var outcomes: Set<String> = []
        for _ in 0..<Self.commandsOfSeed {
            _ = clock.advance(seconds: Int64(dice.next() % 40))
            let command = try draw(&dice, commands, session)
            #expect("\(command)" == "a command on a session", "codes and tokens are never printed")
            let deviceID = DeviceID(high: dice.next(), low: dice.next())
            let first = run(command, on: session, engine, at: clock.now(), deviceID)
            let again = run(command, on: session, engine, at: clock.now(), deviceID)
            #expect(first.session == again.session && first.outcome == again.outcome)
            #expect(first.message == again.message && first.names == again.names)
            if let refusal = first.thrown {
                var settled = session
                settled.expire(at: clock.now())
                #expect(first.session.state == settled.state, "\(refusal) has changed the session")
            }
            outcomes.insert(first.outcome)
            session = first.session.asStored
        }
        #expect(outcomes.count > 1)
    }

    private struct Result {
        let session: Session
        let outcome: String
        let message: OutboundMessage?
        let names: [SessionName]
        let thrown: StepRefusal?
    }

    private func run(
        _ command: SessionCommand, on session: Session, _ engine: Engine, at now: Timestamp, _ deviceID: DeviceID
    ) -> Result {
        var change = SessionChange(
            session: session, deviceKey: nil, proof: .new, tenantIsRevoked: false, earlierReply: nil)
        do throws(StepRefusal) {
            let outcome = try change.apply(at: now, limits: engine.limits, freshDeviceID: deviceID) {
                (change) throws(StepRefusal) in
                try change.apply(command, by: .backend, in: engine.context, at: now)
            }
            return Result(
                session: change.session, outcome: "\(outcome)", message: change.message, names: change.names,
                thrown: nil)
        } catch {
            return Result(
                session: change.session, outcome: "\(error)", message: change.message, names: change.names,
                thrown: error)
        }
    }

    /// Any command, with right and wrong values for the session.
    private func draw(
        _ dice: inout SessionGenerator, _ commands: SessionCommands, _ session: Session
    ) throws -> SessionCommand {
        var command: SessionCommand
        switch dice.next() % 13 {
        case 0:
            command = try commands.redeem(
                Session.Declaration(platform: .ios, fallback: .otp, deviceKey: false, cellular: .yes))
        case 1: command = try commands.sendCode(.next, from: nil, isAskedByBackend: true)
        case 2: command = try commands.sendCode(.first(nil), from: nil)
        case 3: command = try commands.sendCode(.again, from: nil, own: OTP("123456"))
        case 4: command = try commands.sendLink(.next, browser: "a browser", from: nil)
        case 5: command = try commands.relayCode(OTP("20202020")!, from: nil, isConfirmed: false)
        case 6: command = commands.checkCode(OTP("0000"), isTyped: true)
        case 7: command = commands.checkCode(OTP("123456"))
        case 8: command = commands.vouch()
        case 9: command = dice.next() % 8 == 0 ? commands.end() : commands.read()
        case 10: command = try commands.beginMobileAuth()
        case 11: command = commands.finishMobileAuth(fingerprint: dice.next() % 2 == 0 ? nil : "x", from: nil)
        default: command = commands.redeemExchange("code", verifier: nil, isNamed: dice.next() % 2 == 0)
        }
        switch dice.next() % 6 {
        case 0: command.condition = .created
        case 1: command.condition = .codeIsOld(seconds: 20, isRefused: dice.next() % 2 == 0)
        case 2: command.condition = session.currentTarget.map { .codeHasExpired($0) } ?? .always
        default: break
        }
        return command
    }
}
