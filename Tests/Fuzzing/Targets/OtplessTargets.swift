internal import HTTPServer
@testable import OtplessSurface
@testable import PhoneNumbers
@testable import Possession
@testable import SurfaceKit
internal import Text
@testable import Tokens

extension FuzzTarget {
    /// Calls of backends and apps that were written for OTPLESS: the first byte says which, then come its body and, behind
    /// 0xFF, its query.
    static let otpless = FuzzTarget("otpless") { bytes in
        var choices = Choices(bytes)
        let call = OtplessCalls.all[choices.number(below: OtplessCalls.all.count)]
        call(choices.part(), choices.text())
    }

    /// The state of an app: the first byte says whether the input is one as it comes, or says what one is made of and
    /// which of its characters is another one.
    static let otplessState = FuzzTarget("otpless-state", maxBytes: 512) { bytes in
        var choices = Choices(bytes)
        let keyed = OtplessCalls.keyed
        guard choices.number(below: 2) > 0 else {
            let text = choices.text()
            guard let state = AppState(text, keyed) else { return }
            return require(state.text(keyed).isSame(as: text), "one text")
        }
        let (place, value) = (choices.byte(), choices.byte())
        let random = (0..<AppState.randomBytes).map { _ in UInt8(choices.byte()) }
        guard let client = ClientID(choices.text()) else { return }
        let state = AppState(for: client, random: random)
        let text = state.text(keyed)
        guard let read = AppState(text, keyed) else {
            return require(false, "a state comes back")
        }
        require(read.client == client && read.name == state.name, "a state comes back")
        require(AppState(text, OtplessCalls.otherKeyed) == nil, "another server's is none")
        var other = Array(text.utf8)
        let index = place % other.count
        guard other[index] != UInt8(value) else { return }
        other[index] = UInt8(value)
        require(AppState(String(decoding: other, as: UTF8.self), keyed) == nil, "a changed state is refused")
    }

    /// Numbers as callers of OTPLESS write them: the first byte says whose national form a server understands, then come
    /// the number and, behind 0xFF, a country code that stands in a member of its own.
    static let otplessNumber = FuzzTarget("otpless-number", maxBytes: 96) { bytes in
        var choices = Choices(bytes)
        let plan = OtplessCalls.plans[choices.number(below: OtplessCalls.plans.count)]
        let text = choices.text()
        let whole = OtplessVerifications.withPlus(text)
        require(OtplessVerifications.hasPlus(whole), "with a plus")
        require(OtplessVerifications.withPlus(whole).isSame(as: whole), "and no second one")
        if let number = plan.number(whole) { OtplessCalls.isRead(number, by: plan) }
        var order = CreateRequest.Order()
        (order.number, order.countryCode) = (text, choices.text())
        guard let joined = try? order.wholeNumber(), let number = plan.number(OtplessVerifications.withPlus(joined))
        else {
            return
        }
        OtplessCalls.isRead(number, by: plan)
    }
}

/// Rules for the calls of OTPLESS.
private enum OtplessCalls {
    typealias Take = @Sendable (_ body: [UInt8], _ query: String) -> Void

    static let all: [Take] = [
        reading(InitiateOTP.self) { isSound($0) }, reading(SendOrder.self) { isSound($0) },
        reading(InitiateMagicLink.self) { isSound($0, hasPage: true) },
        reading(InitiateOTPLink.self) { isSound($0, hasPage: true) },
        reading(AuthorizeLink.self) { isSound($0.link, hasPage: true) },
        reading(InitiateOAuth.self) { order in
            require(order.page != nil, "a page")
            require(order.expirySeconds.map(OtplessRules.lifetimes.contains) ?? true, "a lifetime")
        },
        reading(InitiateSNA.self) { order in
            require(!order.silent.number.utf8.isEmpty, "a number")
            require(order.silent.lifetimeSeconds.map(OtplessRules.lifetimes.contains) ?? true, "a lifetime")
            isSound(order.silent.metadata)
        },
        reading(CreateRequest.self) { order in
            require(OtplessRules.createdLifetimes.contains(order.lifetimeSeconds), "a lifetime")
            guard let code = order.countryCode else { return }
            require((1...3).contains(code.utf8.count) && code.utf8.allSatisfy { (48...57).contains($0) }, "digits")
        },
        reading(BeginTransaction.self) { isSound($0) },
        reading(CheckTransaction.self) { require(!$0.code.utf8.isEmpty, "a code") },
        reading(RedeemTransaction.self) { isSound($0.code, $0.verifier) },
        reading(VerifyCode.self) { isSound($0.code, $0.verifier) },
        reading(ExchangeToken.self) { isSound($0.code, $0.verifier) },
        reading(VerifyOTP.self) { require($0.name != nil && !$0.code.utf8.isEmpty, "both") },
        reading(VerifyOrder.self) { require(!$0.code.utf8.isEmpty, "a code") },
        reading(ResendOrder.self) { require($0 != nil, "an order") },
        reading(ReadRequestStatus.self) { require($0 != nil, "a request") },
        reading(ReadAuthStatus.self) { require($0 != nil, "a request") },
        reading(ReadTransaction.self) { require($0.token?.utf8.isEmpty != true, "nothing, or a token") },
        reading(ReadSilentTransaction.self) { require($0.token?.utf8.isEmpty != true, "nothing, or a token") },
    ]

    /// - Parameter holds: what is true of all that the call reads.
    private static func reading<E: Endpoint>(
        _ endpoint: E.Type, _ holds: @escaping @Sendable (E.Body) -> Void
    ) -> Take where E.Refusal == OtplessError {
        let form = EndpointForm(endpoint)
        let names = form.shape.names + form.parameters.described.map(\.field.name)
        let headers = Headers([("Content-Type", form.body.coding.mediaType)])
        return { body, query in
            let request = Request(
                method: E.call.method, path: "/", rawQuery: query, headers: headers, body: body,
                parameters: PathParameters([("state", "c3RhdGU")]), id: "r")
            do throws(OtplessError) { holds(try form.read(request)) } catch { isSound(error, names) }
        }
    }

    private static func isSound(_ error: OtplessError, _ names: [String]) {
        if case .field(let defect) = error {
            // A refusal may name an element of a list: channels[1].
            let member = defect.field.utf8.prefix { $0 != UInt8(ascii: "[") }
            require(names.contains { member.isSame(as: $0) }, "a refusal names a member: \(defect.field)")
        }
        let (told, status) = (error.told, error.response.status)
        require((400..<500).contains(status), "the caller's mistake")
        require(
            (3...4).contains(told.code.utf8.count) && told.code.utf8.allSatisfy { (48...57).contains($0) }, "a code")
        require(!told.description.utf8.isEmpty, "and why")
    }

    private static func isSound(_ order: CodeOrder, hasPage: Bool = false, lifetimes: ClosedRange<Int>? = nil) {
        if let number = order.number, lifetimes == nil {
            require((1...NumberText.maxBytes).contains(number.utf8.count), "a short number")
        }
        if let channels = order.channels {
            require(!channels.isEmpty && Set(channels).count == channels.count, "each channel once")
        }
        let lifetimes = lifetimes ?? OtplessRules.lifetimes
        require(order.expirySeconds.map(lifetimes.contains) ?? true, "a lifetime")
        require(order.codeLength.map { $0 == 4 || $0 == 6 } ?? true, "4 or 6 digits")
        require(order.appHash.map { $0.utf8.count == 11 } ?? true, "a hash")
        isSound(order.metadata)
        require(!hasPage || order.link?.page != nil, "a page")
        if let page = order.link?.page { isSound(page) }
    }

    private static func isSound(_ page: FinalTargetURL) {
        require(page.text.utf8.prefix(4).map(\.lowercasedASCII) == Array("http".utf8), "a web address")
        require(page.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }, "and no fragment")
    }

    private static func isSound(_ metadata: SessionMetadata) {
        let names = metadata.entries.map { Array($0.name.utf8) }
        require(Set(names).count == names.count, "each name once")
        require(names.allSatisfy { $0.count <= 4 * TextRule.reference.maxCharacters }, "short names")
    }

    private static func isSound(_ code: String, _ verifier: String?) {
        require(!code.utf8.isEmpty, "a code")
        require(verifier.map { (43...128).contains($0.utf8.count) } ?? true, "a verifier of its length")
    }

    private static func isSound(_ intent: Intent) {
        require(intent.requestID.map { $0.utf8.count <= 256 } ?? true, "a short id")
        if intent.beginsSilently {
            require(intent.channel == nil && intent.codeLength == nil && intent.expirySeconds == nil, "nothing chosen")
        }
        for app in apps {
            do throws(OtplessError) {
                let order = try intent.order(by: [.whatsapp, .sms], for: app)
                require((order.number == nil) || intent.kind == .mobile, "a number of who has one")
                isSound(order, hasPage: intent.way == .link || intent.way == .codeAndLink, lifetimes: Intent.lifetimes)
            } catch { isSound(error, ["redirectURI"]) }
        }
    }

    /// Callers always give the country code, with a plus or without.
    static func isRead(_ number: PhoneNumber, by plan: NumberingPlan) {
        let digits = String(number.e164.dropFirst())
        for text in [number.e164, digits] {
            require(
                plan.number(OtplessVerifications.withPlus(text)) == number, "what was read is read again as the same")
        }
        require((number.countryCode + number.nationalNumber).isSame(as: number.e164), "its parts are the number")
        var order = CreateRequest.Order()
        (order.number, order.countryCode) = (number.nationalNumber, String(number.countryCode.dropFirst()))
        let whole = (try? order.wholeNumber()).flatMap { $0 }
        require(whole?.isSame(as: digits) == true, "and make it again")
    }

    static let now = Timestamp(seconds: 1_790_000_000)
    static let plans = ["US", "DE", "IT", "BR", "CI"].map { region in
        guard let plan = try? NumberingPlan(defaultRegion: region) else { fatalError("there is no region \(region)") }
        return plan
    }

    static let keyed = keyed(of: 5)
    static let otherKeyed = keyed(of: 6)

    private static func keyed(of byte: UInt8) -> KeyedDigests {
        guard let master = MasterKey([UInt8](repeating: byte, count: 32)), let keyed = try? KeyedDigests(master) else {
            fatalError("the master key of the fuzz targets cannot be used")
        }
        return keyed
    }

    /// Apps of an API client that has the hash of an Android app, and of one that has none.
    private static let apps = [["FA+9qCX9VSu"], []].map { hashes in
        guard let client = ClientID("shop") else { fatalError("no client id") }
        let rules = TenantRules(appHashes: hashes, smartChannels: [.whatsapp, .sms])
        return StartedApp(
            tenant: Tenant(id: client, rules: rules, secretDigests: [], createdAt: OtplessCalls.now),
            state: AppState(for: client, random: [UInt8](repeating: 1, count: AppState.randomBytes)), address: nil,
            languages: nil)
    }
}
