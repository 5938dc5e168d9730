package import Possession
internal import Text

/// Sessions with every member set to anything it may be, from a seed.
package struct SessionGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
    mutating func flag() -> Bool { next() & 1 == 1 }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }
    mutating func time() -> Timestamp { Timestamp(milliseconds: Int64(next() % 4_000_000_000_000)) }
    mutating func id<ID: Identifier>() -> ID { ID(high: next(), low: next()) }
    mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? { flag() ? value(&self) : nil }
    mutating func text() -> String {
        pick(["", "a", "Zoë 😀 'quoted\"; --", String(repeating: "x", count: 255), "line\nline"])
    }
    mutating func number() -> PhoneNumber { PhoneNumber(e164: "+49" + String(next() % 9_000_000_000 + 1_000_000_000))! }
    package mutating func thumbprint() -> Thumbprint { Thumbprint(bytes(32))! }
    mutating func key() -> PublicKey { PublicKey(x: bytes(32), y: bytes(32))! }

    mutating func target() -> Target {
        flag() ? .number(number()) : .email(EmailAddress("\(pick(["a", "Ada.King+x"]))\(next())@mail.example")!)
    }

    package mutating func request() -> SessionRequest {
        let target = maybe { $0.target() }
        let code = maybe { try! MessageTemplate($0.pick(["code ####", "###### é", "#####"])) }
        return SessionRequest(
            flow: pick(SessionRequest.Flow.allCases), policy: policy(),
            subject: .init(
                number: target?.number.map { SubmittedNumber(asSent: text(), number: $0) }, mailbox: target?.email,
                emailAddress: maybe { $0.text() }, ipAddress: maybe { $0.text() },
                claim: PersonClaim(
                    dob: maybe { PartialDate($0.pick(["1982-07-19", "1982-07", "07-19"]))! },
                    ssn: maybe { PartialSSN($0.pick(["470806227", "6227"]))! })),
            options: .init(
                rebind: flag(), checkReputation: flag(), linkMatchCode: flag(), linkNeedsSameAddress: flag(),
                deviceID: maybe { $0.id() }, finalTargetURL: maybe { $0.text() },
                exchange: maybe { .init(challenge: $0.maybe { CodeChallenge($0.bytes(32)) }) }, codeTemplate: code,
                linkTemplate: flag() ? code : maybe { try! MessageTemplate($0.pick(["link ####", "#####"])) },
                locale: maybe { LanguageTag($0.pick(["de", "zh-Hant-TW"]))! }),
            references: .init(
                clientRequestID: maybe { $0.text() }, clientCustomerID: maybe { $0.text() },
                clientHumanID: maybe { $0.text() }),
            questions: .init(rawValue: UInt8(next() % 8)),
            keyHolder: maybe { SessionRequest.KeyHolder(id: $0.text(), isKept: $0.flag()) },
            metadata: metadata())
    }

    private mutating func metadata() -> SessionMetadata {
        SessionMetadata((0..<Int(next() % 3)).map { SessionMetadata.Entry("name \($0)", text()) })
    }

    private mutating func number(in bounds: ClosedRange<Int>) -> Int {
        bounds.lowerBound + Int(next() % UInt64(bounds.count))
    }

    private mutating func policy() -> Policy {
        try! Policy(
            product: ProductName(pick(["unify", "prefill", "a", "sixteen-letters1"]))!,
            checks: .init(rawValue: UInt8(next() % 16)),
            code: .init(
                length: number(in: Policy.Code.lengths), lifetimeSeconds: number(in: Policy.Code.lifetimes),
                tries: number(in: Policy.Code.triesBounds), tryCount: pick(Policy.TryCount.allCases),
                earlierCodes: number(in: Policy.Code.earlierBounds), mayChangeNumber: flag()),
            link: .init(
                lifetimeSeconds: number(in: Policy.Link.lifetimes), waitSeconds: number(in: Policy.Link.lifetimes),
                mayChangeNumber: flag()),
            sends: number(in: Policy.sendsBounds), numberEntries: number(in: Policy.sendsBounds),
            resultLifetimeSeconds: number(in: Policy.resultLifetimes),
            prefill: maybe { $0.pick(Policy.Prefill.allCases) },
            bindsPendingKeysOnly: flag(), asksOperatorOfKnownNumber: flag(), isFoundByNumber: flag(),
            letsBackendVouch: flag(), isAnsweredElsewhere: flag(), isAskedByAnyone: flag(),
            tellsNothingOfMessages: flag(), maxKeyAgeSeconds: maybe { $0.number(in: Policy.maxKeyAges) })
    }

    mutating func phase() -> Session.Phase {
        switch next() % 3 {
        case 0: .created
        case 1: .active(pick(Session.Step.allCases))
        default: .done(pick(Session.Outcome.allCases), at: time())
        }
    }

    mutating func device() -> DeviceCheck {
        let state: DeviceCheck.State =
            switch next() % 5 {
            case 0: .absent
            case 1: .challenged(.init(bytes: bytes(32), expiresAt: time()))
            case 2: .pending(.init(thumbprint: thumbprint(), publicKey: key()))
            case 3: .recognized(id())
            default: .mismatch(id())
            }
        return DeviceCheck(
            state: state, challengesLeft: Int(next() % 4), retired: maybe { $0.pick([.revoked, .inactive]) })
    }

    mutating func otp() -> OTPCheck {
        let state: OTPCheck.State =
            pick([
                .idle, .passed, .failed, .expired(at: time()), .waiting(OTPDigest(bytes(32)), expiresAt: time()),
            ])
        var earlier: [OTPCheck.EarlierCode] = []
        if case .waiting = state, flag() {
            for _ in 0..<next() % 4 { earlier.append(.init(digest: OTPDigest(bytes(32)), expiresAt: time())) }
        }
        return OTPCheck(
            state: state, codeLength: Int(4 + next() % 7), attemptsLeft: Int(next() % 4), earlier: earlier)
    }

    mutating func sends() -> SendBudget { SendBudget(sendsLeft: Int(next() % 4), entriesLeft: Int(next() % 4)) }

    mutating func mobileAuth() -> MobileAuthCheck {
        let verdict: MobileAuthCheck.Verdict = pick([.found(number()), .agrees, .differs, .unavailable])
        let state: MobileAuthCheck.State =
            switch next() % 10 {
            case 0, 1: .absent
            case 2: .ready
            case 3: .offered(TicketDigest(bytes(32)), expiresAt: time())
            case 4: .travelling(from: AddressDigest(bytes(32)), operatorName: text(), expiresAt: time())
            case 5: .asking
            case 6: .answered(verdict, result: bytes(pick([0, 16])))
            case 7: .late(result: bytes(pick([0, 16])))
            case 8: .handedOver(verdict, result: bytes(16), expiresAt: time())
            default: .ended(maybe { $0.pick(MobileAuthCheck.Failure.allCases) })
            }
        return MobileAuthCheck(
            state: state, attempt: maybe { AttemptID($0.bytes(16))! }, attemptsLeft: Int(next() % 4))
    }

    mutating func link() -> LinkCheck {
        if flag() { return LinkCheck() }
        let state: LinkCheck.State =
            pick([
                .idle, .waiting(expiresAt: time()), .expired, .passed, .failed(pick(LinkCheck.Failure.allCases)),
                .closed,
            ])
        return LinkCheck(
            state: state, digest: maybe { LinkDigest($0.bytes(32)) }, sentAt: maybe { $0.time() },
            waitUntil: maybe { $0.time() }, matchCode: maybe { $0.pick(["07", "42"]) }, browser: maybe { $0.text() },
            addressesAgree: maybe { $0.flag() })
    }

    mutating func prefill() -> PrefillCheck? {
        maybe { PrefillCheck(step: $0.pick(PrefillCheck.Step.allCases), challengesLeft: Int($0.next() % 4)) }
    }

    mutating func risks() -> [Reputation.Reason] {
        (0..<next() % 3).map { _ in Reputation.Reason(code: text(), text: text()) }
    }

    /// `like`: another state of that session, its fixed members kept.
    package mutating func session(like: Session? = nil) -> Session {
        let declaration = maybe {
            Session.Declaration(
                platform: $0.pick([.web, .android, .ios]), fallback: $0.maybe { $0.pick([.otp, .link]) },
                deviceKey: $0.flag(), cellular: $0.pick([.yes, .no, .unknown]), testMode: $0.flag(),
                codeReader: $0.maybe { $0.text() }, mobileAuthReturnURL: $0.maybe { $0.text() })
        }
        let methods: [Session.Proof.Method] = [.deviceKey, .mobileAuth, .otp, .instantLink, .customer, .assumed]
        let proof = maybe { Session.Proof(method: $0.pick(methods), target: $0.target(), at: $0.time()) }
        var state = Session.State(
            device: device(), mobileAuth: mobileAuth(), sends: sends(), otp: otp(), bindTriesLeft: Int(next() % 4))
        state.phase = phase()
        state.revision = Int(next() % 100)
        state.binding = pick([.unbound, .bearer, .backend, .key(thumbprint())])
        state.declaration = declaration
        state.enteredNumber = maybe { $0.number() }
        state.link = link()
        state.exchange = maybe { ExchangeCode(digest: ExchangeDigest($0.bytes(32)), expiresAt: $0.time()) }
        state.proof = proof
        state.prefill = prefill()
        state.riskReasons = risks()
        state.deviceID = maybe { $0.id() }
        state.keyFinding = maybe { KeyFinding(boundAt: $0.time(), holderAgrees: $0.flag()) }
        state.languages = maybe { Languages(text: $0.pick(["en", "pt-BR,pt,en-US,en"]))! }
        state.hasOwnCode = flag()
        state.askers = flag() ? [MessageSource(nil)] : [MessageSource(IPAddress("192.0.2.\(pick([1, 2, 3]))"))]
        state.askedCountry = maybe { $0.pick(["US", "GB"]) }
        state.holderID = proof?.number.map { _ in id() }
        return Session(
            correlationID: like?.correlationID ?? id(), authID: like?.authID ?? id(),
            clientID: like?.clientID ?? ClientID("tenant-\(next() % 3)")!, createdAt: like?.createdAt ?? time(),
            expiresAt: like?.expiresAt ?? time(), request: like?.request ?? request(),
            flowDigest: like.map(\.flowDigest) ?? maybe { FlowDigest($0.bytes(32)) }, state: state,
            eventCount: like?.storedEventCount ?? 0)
    }
}
