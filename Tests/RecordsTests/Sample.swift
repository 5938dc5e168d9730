import Possession
import Records
import TestSupport
import Text

/// Fixed values, and what a version has written for them.
enum Sample {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let number = PhoneNumber(e164: "+12001004014")!

    static func request() -> SessionRequest {
        SessionRequest(
            flow: .mobile, policy: .standard(retries: true, mayChangeNumber: true),
            subject: .init(number: SubmittedNumber(asSent: "2001004014", number: number)),
            options: .init(), references: .init(clientRequestID: "r-1"))
    }

    static func session(_ place: UInt64 = 1, request: SessionRequest = request()) -> Session {
        Session(
            correlationID: CorrelationID(high: 0x1900_0000_0000_7000, low: place),
            authID: AuthID(high: 0x1900_0000_0000_7001, low: place), clientID: ClientID("acme")!, request: request,
            at: now, limits: Limits())
    }

    /// A session with every optional member set.
    static let full = full(mailbox: nil)

    /// - Parameter mailbox: what it is about, and has proven, in the place of a number.
    private static func full(mailbox: EmailAddress?) -> Session {
        full(
            locale: LanguageTag("pt-BR"), languages: Languages(text: "de-AT,en"), callback: callback, hasOwnCode: true,
            mailbox: mailbox, askers: asked, askedCountry: "US",
            metadata: SessionMetadata([.init("order", "7")]),
            exchange: ExchangeCode(digest: ExchangeDigest([8, 9]), expiresAt: now))
    }

    /// About somebody whom nobody knows, as version 9 began to.
    private static let unknown = full(
        locale: nil, languages: nil, unknown: UnknownPerson(digest: (0..<16).map { UInt8($0) }))

    /// For a payment, as version 10 began to.
    private static let paid = full(
        locale: nil, languages: nil, unknown: UnknownPerson(digest: (0..<16).map { UInt8($0) }),
        payment: PaymentDigest([12, 13]))

    private static let asked = [MessageSource(IPAddress("192.0.2.1")), MessageSource(nil)]

    /// As version 7 knew it.
    private static let unnamed = full(
        locale: LanguageTag("pt-BR"), languages: Languages(text: "de-AT,en"), callback: callback, hasOwnCode: true,
        askers: asked, askedCountry: "US")

    /// As versions before 7 knew it.
    private static func unasked(mailbox: EmailAddress?) -> Session {
        full(
            locale: LanguageTag("pt-BR"), languages: Languages(text: "de-AT,en"), callback: callback, hasOwnCode: true,
            mailbox: mailbox)
    }

    private static let callback = SessionRequest.Callback(
        endpoint: WebhookEndpointID(high: 0x1900_0000_0000_7005, low: 1), url: "https://a.example/hooks/1")

    /// - Parameters: those that version 1 did not have; `callback` came with version 3, `hasOwnCode` with 4,
    ///   `mailbox` with 5, `askers` and `askedCountry` with 7, `metadata` and `exchange` with 8,
    ///   `unknown` with 9, `payment` with 10.
    static func full(
        locale: LanguageTag?, languages: Languages?, callback: SessionRequest.Callback? = nil, hasOwnCode: Bool = false,
        mailbox: EmailAddress? = nil, askers: [MessageSource] = [], askedCountry: String? = nil,
        metadata: SessionMetadata = SessionMetadata(), exchange: ExchangeCode? = nil, unknown: UnknownPerson? = nil,
        payment: PaymentDigest? = nil
    ) -> Session {
        let device = DeviceID(high: 0x1900_0000_0000_7002, low: 1)
        let request = SessionRequest(
            flow: .desktop,
            policy: .standard("auth", prefill: .atOnce, mayChangeNumber: true) {
                $0.maxKeyAgeSeconds = 60
                $0.checks = [.code, .deviceKey]
                $0.tellsNothingOfMessages = unknown != nil
                $0.code = try! Policy.Code(
                    length: 10, lifetimeSeconds: 600, tries: 5, tryCount: .code, earlierCodes: 2, mayChangeNumber: true)
            },
            subject: .init(
                number: mailbox == nil && unknown == nil ? SubmittedNumber(asSent: "2001004014", number: number) : nil,
                mailbox: mailbox, unknown: unknown, emailAddress: "a@example.com", ipAddress: "192.0.2.1",
                claim: PersonClaim(dob: PartialDate("1982-07"), ssn: PartialSSN("6227"))),
            options: .init(
                linkNeedsSameAddress: true, deviceID: device, finalTargetURL: "https://a.example/",
                exchange: exchange.map { _ in SessionRequest.Exchange(challenge: CodeChallenge([10, 11])) },
                codeTemplate: try! MessageTemplate("Zoë: #####"), linkTemplate: try! MessageTemplate("link ####"),
                locale: locale, callback: callback, payment: payment),
            references: .init(clientRequestID: "r-1", clientCustomerID: "c-1", clientHumanID: "h-1"),
            questions: [.number, .person], keyHolder: .init(id: "u-1", isKept: true), metadata: metadata)
        var state = Session.State(
            device: DeviceCheck(state: .recognized(device), challengesLeft: 2, retired: .inactive),
            mobileAuth: MobileAuthCheck(
                state: .answered(.found(number), result: [1, 2]), attempt: AttemptID([UInt8](repeating: 3, count: 16)),
                attemptsLeft: 1),
            sends: SendBudget(sendsLeft: 2, entriesLeft: 1), otp: OTPCheck(codeLength: 6, attemptsLeft: 3),
            bindTriesLeft: 3)
        state.phase = .done(.succeeded, at: now)
        state.revision = 300
        state.binding = .key(Thumbprint([UInt8](repeating: 4, count: 32))!)
        state.declaration = .init(
            platform: .android, fallback: .link, deviceKey: true, cellular: .yes, testMode: true, codeReader: "hash",
            mobileAuthReturnURL: "https://a.example/back")
        state.enteredNumber = number
        state.link = LinkCheck(
            state: .failed(.wrongMatchCode), digest: LinkDigest([5, 6]), sentAt: now, waitUntil: now, matchCode: "47",
            browser: "Firefox", addressesAgree: true)
        state.proof = Session.Proof(method: .instantLink, target: mailbox.map(Target.email) ?? .number(number), at: now)
        state.prefill = PrefillCheck(step: .challenged, challengesLeft: 1)
        state.riskReasons = [Reputation.Reason(code: "9133", text: "low SIM trust score")]
        state.deviceID = device
        state.keyFinding = KeyFinding(boundAt: now, holderAgrees: true)
        state.holderID = HolderID(high: 0x1900_0000_0000_7003, low: 1)
        state.languages = languages
        state.hasOwnCode = hasOwnCode
        state.askers = askers
        state.askedCountry = askedCountry
        state.exchange = exchange
        return Session(
            correlationID: CorrelationID(high: 0x1900_0000_0000_7000, low: 1),
            authID: AuthID(high: 0x1900_0000_0000_7001, low: 1), clientID: ClientID("acme")!, createdAt: now,
            expiresAt: now.adding(.seconds(900)), request: request, flowDigest: FlowDigest([7]), state: state,
            eventCount: 5)
    }

    /// Records that each version has written for `full`. A line is never edited: add one with the version.
    static let recorded: [(version: UInt8, hex: String, session: Session)] = [
        (
            1,
            """
            0181a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b32303031303034\
            3031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d3037\
            05363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6fc3ab3a\
            2023232323230a6c696e6b202323232304722d3104632d3104682d310604752d3102030181a0f1c2b134ad0203210404\
            04040404040404040404040404040404040404040404040404040404040402020202010205686173681768747470733a\
            2f2f612e6578616d706c652f6261636b0d2b313230303130303430313404111900000000007002000000000000000103\
            0206010d2b31323030313030343031340301021103030303030303030303030303030303020302010704050403050681\
            a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b313230303130303430313481a0f1c2b13403020205\
            39313333146c6f772053494d2074727573742073636f7265111900000000007002000000000000000181a0f1c2b13402\
            1119000000000070030000000000000001
            """, full(locale: nil, languages: nil)
        ),
        (
            2,
            """
            0281a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b323030313030\
            343031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d\
            303705363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6f\
            c3ab3a2023232323230a6c696e6b20232323230670742d425204722d3104632d3104682d310604752d3102030181a0\
            f1c2b134ad020321040404040404040404040404040404040404040404040404040404040404040402020202010205\
            686173681768747470733a2f2f612e6578616d706c652f6261636b0d2b313230303130303430313404111900000000\
            0070020000000000000001030206010d2b313230303130303430313403010211030303030303030303030303030303\
            03020302010704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b31323030313030\
            3430313481a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f7265111900000000007002\
            000000000000000181a0f1c2b1340211190000000000700300000000000000010964652d41542c656e
            """, full(locale: LanguageTag("pt-BR"), languages: Languages(text: "de-AT,en"))
        ),
        (
            3,
            """
            0381a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b323030313030\
            343031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d\
            303705363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6f\
            c3ab3a2023232323230a6c696e6b20232323230670742d425211190000000000700500000000000000011a68747470\
            733a2f2f612e6578616d706c652f686f6f6b732f3104722d3104632d3104682d310604752d3102030181a0f1c2b134\
            ad02032104040404040404040404040404040404040404040404040404040404040404040202020201020568617368\
            1768747470733a2f2f612e6578616d706c652f6261636b0d2b31323030313030343031340411190000000000700200\
            00000000000001030206010d2b31323030313030343031340301021103030303030303030303030303030303020302\
            010704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b3132303031303034303134\
            81a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f726511190000000000700200000000\
            0000000181a0f1c2b1340211190000000000700300000000000000010964652d41542c656e
            """,
            full(
                locale: LanguageTag("pt-BR"), languages: Languages(text: "de-AT,en"), callback: callback)
        ),
        (
            4,
            """
            0481a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b323030313030\
            343031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d\
            303705363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6f\
            c3ab3a2023232323230a6c696e6b20232323230670742d425211190000000000700500000000000000011a68747470\
            733a2f2f612e6578616d706c652f686f6f6b732f3104722d3104632d3104682d310604752d3102030181a0f1c2b134\
            ad02032104040404040404040404040404040404040404040404040404040404040404040202020201020568617368\
            1768747470733a2f2f612e6578616d706c652f6261636b0d2b31323030313030343031340411190000000000700200\
            00000000000001030206010d2b31323030313030343031340301021103030303030303030303030303030303020302\
            010704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b3132303031303034303134\
            81a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f726511190000000000700200000000\
            0000000181a0f1c2b1340211190000000000700300000000000000010964652d41542c656e02
            """, unasked(mailbox: nil)
        ),
        (
            5,
            """
            0581a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d00000e61406578\
            616d706c652e636f6d0a3139322e302e322e3108313938322d30370536323237091119000000000070020000000000\
            0000011368747470733a2f2f612e6578616d706c652f0c5a6fc3ab3a2023232323230a6c696e6b2023232323067074\
            2d425211190000000000700500000000000000011a68747470733a2f2f612e6578616d706c652f686f6f6b732f3104\
            722d3104632d3104682d310604752d310210616461406578616d706c652e636f6d030181a0f1c2b134ad0203210404\
            0404040404040404040404040404040404040404040404040404040404040202020201020568617368176874747073\
            3a2f2f612e6578616d706c652f6261636b0d2b31323030313030343031340411190000000000700200000000000000\
            01030206010d2b31323030313030343031340301021103030303030303030303030303030303020302010704050403\
            050681a0f1c2b13481a0f1c2b1340334370846697265666f7802040410616461406578616d706c652e636f6d81a0f1\
            c2b1340302020539313333146c6f772053494d2074727573742073636f726511190000000000700200000000000000\
            0181a0f1c2b1340211190000000000700300000000000000010964652d41542c656e02
            """, unasked(mailbox: EmailAddress("ada@example.com"))
        ),
        (
            7,
            """
            0781a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b323030313030\
            343031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d\
            303705363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6f\
            c3ab3a2023232323230a6c696e6b20232323230670742d425211190000000000700500000000000000011a68747470\
            733a2f2f612e6578616d706c652f686f6f6b732f3104722d3104632d3104682d310604752d310200030181a0f1c2b1\
            34ad020321040404040404040404040404040404040404040404040404040404040404040402020202010205686173\
            681768747470733a2f2f612e6578616d706c652f6261636b0d2b313230303130303430313404111900000000007002\
            0000000000000001030206010d2b313230303130303430313403010211030303030303030303030303030303030203\
            02010704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b31323030313030343031\
            3481a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f7265111900000000007002000000\
            000000000181a0f1c2b1340211190000000000700300000000000000010964652d41542c656e020311000000000000\
            00000000ffffc000020101035553
            """, unnamed
        ),
        (
            8,
            """
            0881a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad0202010404850702043d0b323030313030\
            343031340d2b31323030313030343031340e61406578616d706c652e636f6d0a3139322e302e322e3108313938322d\
            303705363232370911190000000000700200000000000000011368747470733a2f2f612e6578616d706c652f0c5a6f\
            c3ab3a2023232323230a6c696e6b20232323230670742d425211190000000000700500000000000000011a68747470\
            733a2f2f612e6578616d706c652f686f6f6b732f3102030a0b04722d3104632d3104682d310604752d31020002066f\
            726465720237030181a0f1c2b134ad0203210404040404040404040404040404040404040404040404040404040404\
            04040402020202010205686173681768747470733a2f2f612e6578616d706c652f6261636b0d2b3132303031303034\
            303134041119000000000070020000000000000001030206010d2b3132303031303034303134030102110303030303\
            0303030303030303030303020302010704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204\
            040d2b313230303130303430313481a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f72\
            65111900000000007002000000000000000181a0f1c2b1340211190000000000700300000000000000010964652d41\
            542c656e02031100000000000000000000ffffc00002010103555303080981a0f1c2b134
            """, full
        ),
        (
            9,
            """
            0981a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad020201040485070284023d00000e614065\
            78616d706c652e636f6d0a3139322e302e322e3108313938322d303705363232370911190000000000700200000000\
            000000011368747470733a2f2f612e6578616d706c652f0c5a6fc3ab3a2023232323230a6c696e6b20232323230000\
            0104722d3104632d3104682d310604752d3102000111000102030405060708090a0b0c0d0e0f030181a0f1c2b134ad\
            0203210404040404040404040404040404040404040404040404040404040404040404020202020102056861736817\
            68747470733a2f2f612e6578616d706c652f6261636b0d2b3132303031303034303134041119000000000070020000\
            000000000001030206010d2b3132303031303034303134030102110303030303030303030303030303030302030201\
            0704050403050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b313230303130303430313481\
            a0f1c2b1340302020539313333146c6f772053494d2074727573742073636f72651119000000000070020000000000\
            00000181a0f1c2b1340211190000000000700300000000000000010001010000
            """, unknown
        ),
        (
            10,
            """
            0a81a0f1c2b134a197a8c3b13406020561757468060bd904060203b501ad020201040485070284023d00000e61406578\
            616d706c652e636f6d0a3139322e302e322e3108313938322d3037053632323709111900000000007002000000000000\
            00011368747470733a2f2f612e6578616d706c652f0c5a6fc3ab3a2023232323230a6c696e6b2023232323000001030c\
            0d04722d3104632d3104682d310604752d3102000111000102030405060708090a0b0c0d0e0f030181a0f1c2b134ad02\
            032104040404040404040404040404040404040404040404040404040404040404040202020201020568617368176874\
            7470733a2f2f612e6578616d706c652f6261636b0d2b3132303031303034303134041119000000000070020000000000\
            000001030206010d2b313230303130303430313403010211030303030303030303030303030303030203020107040504\
            03050681a0f1c2b13481a0f1c2b1340334370846697265666f780204040d2b313230303130303430313481a0f1c2b134\
            0302020539313333146c6f772053494d2074727573742073636f7265111900000000007002000000000000000181a0f1\
            c2b1340211190000000000700300000000000000010001010000
            """, paid
        ),
    ]

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
