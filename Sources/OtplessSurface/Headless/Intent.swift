internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// An app's order to verify a person: the target and the method.
struct Intent: Sendable {
    var state = ""
    var app: String?
    var way = AuthType.code
    /// The kind that the app names.
    private var named: IdentityReply.Kind?
    /// The number with its country code.
    var mobile: String?
    var countryCode: String?
    /// The number without its country code, or the address.
    var value: String?
    var email: String?
    var asksOperator = false
    /// The channel that the app has chosen instead of its client's order.
    var channel: OtplessChannel?
    var expirySeconds: Int?
    var codeLength: Int?
    /// The hash that the app itself names.
    var appHash: String?
    var isAndroid = false
    /// The id of a request that the backend has created.
    var requestID: String?
    /// The page that gets the code of a link: an address that opens the app.
    var page: FinalTargetURL?
    var challenge: String?
    var challengeMethod: String?

    /// Lifetimes of a code that an app may ask for, in seconds.
    static let lifetimes = 30...900

    /// The members that the SDK writes. Members about the phone and the SDK itself are ignored.
    static let members = Shape(Intent()) {
        Member.optional("appId", .anyText, "The API client's id.") { $0.app = $1 }
        Member.optional("channel", .way, "How to verify. Else OTP. PHONE and EMAIL are OTP.") { $0.way = $1 }
        Member.optional(
            "identifierType", .choice(IdentityReply.Kind.allCases), "Else MOBILE, unless an email is all there is."
        ) {
            $0.named = $1
        }
        Member.optional("mobile", .text(.phoneNumber), "With country code. The plus may be missing.") { $0.mobile = $1 }
        Member.optional("selectedCountryCode", .text(.phoneNumber), "Of value, where mobile is missing.") {
            $0.countryCode = $1
        }
        Member.optional("value", .text(.freeText(254)), "The number without its country code, or the address.") {
            $0.value = $1
        }
        Member.optional("email", .text(.freeText(254)), "In the place of a number.") {
            $0.email = $1
        }
        Member.optional("silentAuthEnabled", .flag, "The operator of the phone is asked first, where it can be.") {
            $0.asksOperator = $1
        }
        Member.optional(
            "deliveryMethod", .deliveryChannel, "One of the API client's channels. The operator is not asked."
        ) {
            $0.channel = $1
        }
        Member.optional("expiry", .figure(lifetimes, "seconds"), "Of the code, in seconds. The operator is not asked.")
        {
            $0.expirySeconds = $1
        }
        Member.optional("otpLength", .givenCodeLength, "4 or 6. The operator is not asked.") {
            $0.codeLength = $1
        }
        Member.optional("appHash", .appHash, "Of the Android app. Else the first one of the API client, on Android.") {
            $0.appHash = $1
        }
        Member.optional("deviceInfo", .deviceInfo, "JSON, as a text: only whether platform is Android is looked at.") {
            $0.isAndroid = $1
        }
        Member.optional(
            "redirectURI", .redirect,
            """
            For MAGICLINK and OTP_LINK: an address that opens the app, on a host that the API client has registered. It gets \
            the code in its query.
            """
        ) { $0.page = $1 }
        Member.optional(
            "code_challenge", .anyText.described(as: ProofKey.challengeSchema),
            "Of the code_verifier that has to come with the code (RFC 7636)."
        ) { $0.challenge = $1 }
        Member.optional(
            "code_challenge_method", .anyText.described(as: .choice([ProofKey.method])), "Beside code_challenge."
        ) { $0.challengeMethod = $1 }
        Member.optional(
            "requestId", .text(.freeText(64)),
            "Of a request that the backend has created: whom, it says. A number or an address beside it has to be the same."
        ) { $0.requestID = $1 }
    }

    /// Whether the phone's operator is asked first. Not if the app sets the channel, the lifetime or the length of the
    /// code.
    var beginsSilently: Bool {
        asksOperator && way == .code && (kind == .mobile || requestID != nil) && channel == nil && expirySeconds == nil
            && codeLength == nil
    }

    /// If the app names both a number and an address, the number counts.
    var kind: IdentityReply.Kind { named ?? (email != nil && mobile == nil ? .email : .mobile) }

    /// The hash by which an Android app finds its message; `nil`: the app does not run on Android.
    func hash(of app: StartedApp) -> String? { appHash ?? (isAndroid ? app.tenant.rules.appHashes.first : nil) }

    /// - Parameter channels: the API client's channels that this server carries.
    /// - Throws: `.field`: a link is asked for without `redirectURI`.
    func order(by channels: [OtplessChannel], for app: StartedApp) throws(OtplessError) -> CodeOrder {
        var order = CodeOrder(mayBeEmail: true)
        switch kind {
        case .mobile: order.number = mobile ?? number
        case .email: order.email = email ?? value
        }
        order.numberField = targetField
        order.channels = kind == .mobile ? channels : nil
        order.channelsField = "deliveryMethod"
        order.expirySeconds = expirySeconds
        order.appHash = hash(of: app)
        if way == .link || way == .codeAndLink {
            guard let page else { throw .field(.missing("redirectURI")) }
            order.link = LinkTerms(page: page, hasCode: way == .codeAndLink)
        }
        order.codeLength = codeLength
        return order
    }

    /// The number or address that the call names beside the id of a created request.
    func target(by verifications: OtplessVerifications, for tenant: Tenant) throws(OtplessError) -> NamedTarget {
        var named = NamedTarget()
        switch kind {
        case .mobile:
            if let text = mobile ?? number {
                named.number = try verifications.number(text, for: tenant, targetField)
            }
        case .email: named.email = email ?? value
        }
        return named
    }

    /// The member that names the number or address.
    var targetField: String {
        switch kind {
        case .mobile: mobile == nil ? "value" : "mobile"
        case .email: email == nil ? "value" : "email"
        }
    }

    private var number: String? {
        guard let value else { return nil }
        guard let countryCode, value.utf8.first != UInt8(ascii: "+") else { return value }
        return countryCode + value
    }
}

extension Input where Value == AuthType {
    fileprivate static var way: Input {
        let ways: [AuthType] = [.code, .silent, .link, .codeAndLink]
        let words = ways.map(\.rawValue) + ["PHONE", "EMAIL"]
        return Input<String>.text(.freeText(32))
            .map(orFail: "must be one of " + words.joined(separator: ", ")) { text in
                ways.first { $0.rawValue.isSame(as: text) }
                    ?? (text.isSame(as: "PHONE") || text.isSame(as: "EMAIL") ? .code : nil)
            }
            .described(as: .choice(words))
    }
}

extension Input where Value == Bool {
    /// Whether the device that the SDK describes runs Android. Unreadable text counts as another platform.
    fileprivate static var deviceInfo: Input {
        Input(Schema.text()) { (fields, name) throws(FieldDefect) in
            fields.object[name]?.string.map { text in
                let platform = (try? JSONObject.parse(Array(text.utf8)))?["platform"]?.string
                return platform?.isSameIgnoringCase(as: "android") ?? false
            }
        }
    }
}

extension Input where Value == OtplessChannel {
    fileprivate static var deliveryChannel: Input {
        Input<String>.text(.freeText(16))
            .map(orFail: "must be SMS, WHATSAPP, VOICE_CALL, VIBER or EMAIL") { text in
                OtplessChannel.allCases.first { $0.rawValue.isSame(as: text) }
            }
            .described(as: .choice(OtplessChannel.self))
    }
}

extension Input where Value == Int {
    fileprivate static var givenCodeLength: Input {
        figure(4...6, "digits").map(orFail: "must be 4 or 6") { $0 == 5 ? nil : $0 }
    }

    /// A whole number, or its digits as a text: the SDK writes texts.
    fileprivate static func figure(_ range: ClosedRange<Int>, _ unit: String) -> Input {
        let defect = "must be a whole number of \(unit), \(range.lowerBound) to \(range.upperBound)"
        return Input(.any(of: [.integer(range), .text(pattern: "^[0-9]{1,6}$")])) {
            (fields, name) throws(FieldDefect) -> Int? in
            guard let text = fields.object[name]?.string else {
                guard let value = try fields.integer(name) else { return nil }
                guard let number = Int(exactly: value), range.contains(number) else { throw FieldDefect(name, defect) }
                return number
            }
            if text.utf8.isEmpty { return nil }
            guard text.utf8.count <= 6, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text),
                range.contains(number)
            else { throw FieldDefect(name, defect) }
            return number
        }
    }
}
