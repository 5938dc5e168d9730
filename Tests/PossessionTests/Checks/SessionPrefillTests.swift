import Testing

@testable import Possession

/// The steps of a prefill run after its number is proven: their order, and what each compares.
@Suite struct SessionPrefillTests {
    private static let marcia = Person(
        firstName: "Marcia", lastName: "Longo", dob: "1982-07-19", ssn: "470806227",
        emailAddresses: ["mlongok@amazonaws.com"],
        addresses: [Person.Address(address: "00 Mallard Park", city: "New Orleans", region: "LA", postalCode: "70165")])
    private static let later = Fixture.start.adding(.seconds(60))
    private static let names = SubmittedPerson(firstName: "marcia", lastName: " LONGO ")

    private func run(
        _ prefill: Policy.Prefill = .afterChallenge, _ claim: PersonClaim = PersonClaim(),
        outcome: Session.Outcome? = .succeeded, flow: FlowDigest? = nil
    ) -> Session {
        let base = Fixture.request { $0.prefill = prefill }
        var subject = base.subject
        subject.claim = claim
        var session = Session(
            correlationID: CorrelationID(at: Fixture.start, random: 1), authID: AuthID(at: Fixture.start, random: 2),
            clientID: Fixture.clientID,
            request: SessionRequest(
                flow: .mobile, policy: base.policy, subject: subject, options: .init(), references: .init()),
            flowDigest: flow, at: Fixture.start, limits: Fixture.limits)
        switch outcome {
        case .succeeded:
            session.complete(success: true, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.rules)
        case .failed:
            session.complete(success: false, numberIfUnknown: nil, at: Fixture.start, rules: Fixture.rules)
        case .cancelled: session.cancel(at: Fixture.start)
        default: break
        }
        return session
    }

    private func validated(
        _ prefill: Policy.Prefill = .afterChallenge, _ claim: PersonClaim = PersonClaim(), flow: FlowDigest? = nil
    ) throws -> Session {
        var session = run(prefill, claim, flow: flow)
        #expect(try session.validate(at: Self.later, rules: Fixture.rules) == .passed)
        return session
    }

    private func refusal(_ rule: () throws(PlatformRefusal) -> Void) -> PlatformRefusal? {
        do throws(PlatformRefusal) { try rule() } catch { return error }
        return nil
    }

    // MARK: Validate

    @Test func `a number that is not proven yet decides nothing`() throws {
        var session = run(outcome: nil)
        let before = session
        #expect(try session.validate(at: Self.later, rules: Fixture.rules) == .pending)
        #expect(session == before)
    }

    @Test(arguments: [Session.Outcome.failed, .cancelled])
    func `a number that was not proven fails the run`(outcome: Session.Outcome) throws {
        var session = run(outcome: outcome)
        for _ in 0..<2 { #expect(try session.validate(at: Self.later, rules: Fixture.rules) == .failed) }
        #expect(session.prefill?.step == .failed)
        #expect(session.newEvents.filter { $0.kind == .numberRefused }.count == 1)
    }

    @Test func `validating again changes nothing, whatever came after`() throws {
        var session = try validated()
        let once = session
        #expect(try session.validate(at: Self.later, rules: Fixture.rules) == .passed)
        #expect(session == once)
        _ = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
        #expect(try session.validate(at: Self.later, rules: Fixture.rules) == .passed)
        #expect(session.prefill?.step == .challenged)
    }

    @Test func `a run is not begun after its time, and its result is read for as long again`() throws {
        let end = Fixture.start.adding(Fixture.limits.sessionLifetime)
        var late = run()
        #expect(
            refusal { () throws(PlatformRefusal) in _ = try late.validate(at: end, rules: Fixture.rules) }
                == .endedSession)
        var session = try validated()
        #expect(
            try session.validate(at: end.adding(.milliseconds(-1)), rules: Fixture.rules) == .passed)
        let unreadable = Fixture.start.adding(Fixture.limits.resultLifetime)
        #expect(
            refusal { () throws(PlatformRefusal) in _ = try session.validate(at: unreadable, rules: Fixture.rules) }
                == .endedSession)
    }

    @Test func `a session without prefill is no run`() {
        var session = Fixture.session()
        #expect(
            refusal { () throws(PlatformRefusal) in _ = try session.validate(at: Self.later, rules: Fixture.rules) }
                == .unknownSession)
    }

    // MARK: Challenge

    @Test(
        arguments: [
            ("1982-07-19", nil, []), ("1982-07", nil, []), ("07-19", nil, []), (nil, "470806227", []),
            (nil, "6227", []), ("1982-07-19", "6227", []), ("1982-07-20", nil, [.birthDate]),
            ("07-20", nil, [.birthDate]),
            (nil, "6228", [.ssn]), (nil, "470806228", [.ssn]), ("1982-07-19", "6228", [.ssn]),
            ("1982-08", "0000", [.ssn, .birthDate]),
        ] as [(String?, String?, [IdentityFinding.Reason])])
    func `compares every part that was given`(dob: String?, ssn: String?, reasons: [IdentityFinding.Reason]) throws {
        let claim = PersonClaim(dob: dob.flatMap(PartialDate.init), ssn: ssn.flatMap(PartialSSN.init))
        var now = try validated()
        let finding = try now.challenge(claim, against: Self.marcia, at: Self.later)
        #expect(finding.failureReasons == reasons)
        #expect(now.prefill?.step == (reasons.isEmpty ? .challenged : .failed))
        // The same when it was given at the start.
        var before = try validated(.afterChallenge, claim)
        #expect(try before.challenge(PersonClaim(), against: Self.marcia, at: Self.later) == finding)
    }

    @Test func `what is sent now replaces what was sent at the start, part by part`() throws {
        let wrong = PersonClaim(dob: PartialDate("1990-01-01"), ssn: PartialSSN("6227"))
        var session = try validated(.afterChallenge, wrong)
        let right = PersonClaim(dob: PartialDate("1982-07"))
        #expect(try session.challenge(right, against: Self.marcia, at: Self.later).passes)
    }

    @Test func `without birth date and SSN there is nothing to compare, and no try is used up`() throws {
        var session = try validated()
        #expect(session.isChallengeMissing)
        let missing = refusal { () throws(PlatformRefusal) in
            _ = try session.challenge(PersonClaim(), against: Self.marcia, at: Self.later)
        }
        #expect(missing == .claimMissing)
        #expect(session.prefill?.step == .validated)
    }

    @Test func `a number nobody is known by fails`() throws {
        var session = try validated()
        let finding = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: nil, at: Self.later)
        #expect(finding.failureReasons == [.notFound])
        #expect(session.prefill?.step == .failed)
    }

    @Test func `a backend has one challenge, a browser or phone three`() throws {
        let wrong = PersonClaim(ssn: PartialSSN("0000"))
        for (flow, tries) in [(nil, 1), (FlowDigest([1]), 3)] as [(FlowDigest?, Int)] {
            var session = try validated(flow: flow)
            for number in 1...tries {
                #expect(try !session.challenge(wrong, against: Self.marcia, at: Self.later).passes)
                #expect(session.prefill?.step == (number < tries ? .validated : .failed))
            }
            let after = refusal { () throws(PlatformRefusal) in
                _ = try session.challenge(
                    PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
            }
            #expect(after == .stepNotAllowed)
        }
    }

    // MARK: Complete

    @Test(
        arguments: [
            (SubmittedPerson(firstName: "Marcia", lastName: "Longo"), [], false),
            (SubmittedPerson(firstName: "marcia", lastName: " LONGO "), [], false),
            (SubmittedPerson(ssn: PartialSSN("6227")), [], false),
            (SubmittedPerson(firstName: "Marcia", lastName: "Long"), [.name], true),
            (
                SubmittedPerson(firstName: "Marcia", lastName: "Longo", dob: PartialDate("1982-07-20")), [.birthDate],
                true
            ),
            (SubmittedPerson(ssn: PartialSSN("6228")), [.ssn], true),
            (SubmittedPerson(firstName: "Marcia", lastName: "Longo", emailAddress: "new@example.com"), [], true),
            (
                SubmittedPerson(
                    firstName: "Marcia", lastName: "Longo",
                    address: Person.Address(address: nil, city: "Memphis", region: nil, postalCode: nil)), [], true
            ),
        ] as [(SubmittedPerson, [IdentityFinding.Reason], Bool)])
    func `names, birth date and SSN must be the record's; the rest may have changed`(
        submitted: SubmittedPerson, reasons: [IdentityFinding.Reason], isChanged: Bool
    ) throws {
        var session = try validated()
        _ = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
        let completion = try session.complete(submitted, against: Self.marcia, at: Self.later)
        #expect(completion.finding.failureReasons == reasons)
        #expect(completion.changeDetected == isChanged)
        #expect(session.prefill?.step == (reasons.isEmpty ? .completed : .failed))
    }

    @Test func `a run without a challenge completes at once`() throws {
        var session = try validated(.atOnce)
        #expect(!session.isChallengeMissing)
        #expect(
            refusal { () throws(PlatformRefusal) in
                _ = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
            } == .stepTooEarly(first: .complete))
        #expect(try session.complete(Self.names, against: Self.marcia, at: Self.later).finding.passes)
    }

    // MARK: Order

    @Test(arguments: Policy.Prefill.allCases)
    func `each step is taken once, and at its turn`(prefill: Policy.Prefill) throws {
        var session = run(prefill)
        var taken: [String] = []
        for _ in 0..<3 {
            for step in ["complete", "challenge", "validate"] where take(step, &session) == nil { taken.append(step) }
        }
        let expected =
            prefill == .afterChallenge
            ? ["validate", "challenge", "validate", "complete", "validate"]
            : ["validate", "complete", "validate", "validate"]
        #expect(taken == expected)
        #expect(session.prefill?.step == .completed)
    }

    private func take(_ step: String, _ session: inout Session) -> PlatformRefusal? {
        do throws(PlatformRefusal) {
            switch step {
            case "validate": _ = try session.validate(at: Self.later, rules: Fixture.rules)
            case "challenge":
                _ = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
            default: _ = try session.complete(Self.names, against: Self.marcia, at: Self.later)
            }
            return nil
        } catch {
            return error
        }
    }

    @Test func `no step is taken after the session's time`() throws {
        let end = Fixture.start.adding(Fixture.limits.sessionLifetime)
        var session = try validated()
        let claim = PersonClaim(ssn: PartialSSN("6227"))
        #expect(
            refusal { () throws(PlatformRefusal) in _ = try session.challenge(claim, against: Self.marcia, at: end) }
                == .endedSession)
        #expect(try session.challenge(claim, against: Self.marcia, at: end.adding(.milliseconds(-1))).passes)
        #expect(
            refusal { () throws(PlatformRefusal) in _ = try session.complete(Self.names, against: Self.marcia, at: end)
            }
                == .endedSession)
    }

    @Test func `the timeline tells the steps`() throws {
        var session = try validated()
        _ = try session.challenge(PersonClaim(ssn: PartialSSN("6227")), against: Self.marcia, at: Self.later)
        _ = try session.complete(Self.names, against: Self.marcia, at: Self.later)
        #expect(
            session.newEvents.map(\.kind) == [
                .created, .succeeded, .numberValidated, .challengePassed, .identityConfirmed,
            ])
    }
}
