internal import Engine
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

/// `subjects` of `/v1/server/auth/start`: the claims to check, and the authenticators to use. An authenticator is used
/// if its member is present, even as `{}`.
///
///     {"mobile":{"claim":{"mobileNumber":"2001004014"},
///                "authenticators":{"passive":{},"otp":{"messageText":"Your code is ####","allowOtpRetry":true}}}}
struct AuthSubjects: Sendable {
    private var mobile = Mobile()
    private var device: Device?
    private var user: User?
    private var asksForMobile = false

    fileprivate struct Mobile {
        var number: String?
        var instant: Bool?
        var link: Link?
        var code: Code?
        var passive: Passive?
    }

    fileprivate struct Message {
        let template: MessageTemplate
        let mayChangeNumber: Bool
    }

    fileprivate struct Link {
        let message: Message
        let target: FinalTargetURL
        let sourceIP: String?
        let customerID: String?
    }

    fileprivate struct Code {
        let message: Message
        let allowRetry: Bool
    }

    fileprivate struct Passive {
        var maxAgeSeconds: Int?
        var rebind = false
    }

    fileprivate struct Device {
        var id: DeviceID?
        var passive = false
    }

    fileprivate struct User {
        var user: SessionRequest.KeyHolder?
        var passive = false
    }

    init(_ fields: FieldReader) throws(FieldDefect) {
        if let mobile = try fields.inside("mobile", Mobile.init) {
            self.mobile = mobile
            asksForMobile = true
        }
        device = try fields.inside("device", Device.init)
        user = try fields.inside("user", User.init)
        try fields.refuseUnsupported("card")
    }

    /// - Throws: a defect of `subjects` when it names nothing that could prove a number.
    func order(_ requestID: String?) throws(FieldDefect) -> PlatformService.SessionOrder {
        guard let flow else { throw FieldDefect("subjects", "names no authenticator") }
        var order = PlatformService.SessionOrder(.auth, flow: flow)
        order.phoneNumber = mobile.number
        order.finalTargetURL = mobile.link?.target
        order.checks = checks
        order.codeTemplate = mobile.code?.message.template
        order.codeMayChangeNumber = mobile.code?.message.mayChangeNumber ?? true
        order.linkTemplate = mobile.link?.message.template
        order.linkMayChangeNumber = mobile.link?.message.mayChangeNumber ?? true
        order.maxKeyAgeSeconds = mobile.passive?.maxAgeSeconds
        order.ipAddress = mobile.link?.sourceIP
        order.linkNeedsSameAddress = true
        order.allowOTPRetry = mobile.code?.allowRetry ?? false
        order.rebind = mobile.passive?.rebind ?? false
        order.mobileAuthEnabled = mobile.instant ?? false
        order.deviceID = device?.id
        order.references.clientRequestID = requestID
        order.references.clientCustomerID = mobile.link?.customerID
        order.questions = questions
        order.keyHolder = user?.user
        if let user = user?.user, user.isKept { order.references.clientHumanID = user.id }
        return order
    }

    private var usesDeviceKey: Bool { mobile.passive != nil || device?.passive == true || user?.passive == true }

    /// The flow, which has no member of its own. Only a link, without a check on the device, means a person at another
    /// browser. Without code and link, the caller checks the number itself. `nil`: no authenticator is named.
    private var flow: SessionRequest.Flow? {
        let onDevice = usesDeviceKey || mobile.instant == true
        if mobile.code != nil { return .mobile }
        if mobile.link != nil { return onDevice ? .mobile : .desktop }
        return onDevice || mobile.instant != nil ? SessionRequest.Flow.none : nil
    }

    private var checks: Policy.Checks {
        var checks: Policy.Checks = .mobileAuth
        if usesDeviceKey { checks.insert(.deviceKey) }
        if mobile.code != nil { checks.insert(.code) }
        if mobile.link != nil { checks.insert(.link) }
        return checks
    }

    private var questions: SessionRequest.Questions {
        var questions: SessionRequest.Questions = []
        if asksForMobile { questions.insert(.number) }
        if device != nil { questions.insert(.device) }
        if user != nil { questions.insert(.person) }
        return questions
    }
}

extension AuthSubjects.Mobile {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        number = try members.claimedNumber()
        try members.check("authenticators") { (members) throws(FieldDefect) in
            instant = try members.inside("instant", Self.instant)
            link = try members.inside("instantlink", AuthSubjects.Link.init)
            code = try members.inside("otp", AuthSubjects.Code.init)
            passive = try members.inside("passive", AuthSubjects.Passive.init)
            try members.refuseUnsupported("universal")
        }
    }

    /// Whether the operator may be asked: not without the subscriber's consent, if that was required.
    private static func instant(_ members: FieldReader) throws(FieldDefect) -> Bool {
        try members.checkTestMode()
        let consent = try members.inside("consent") { (members) throws(FieldDefect) in
            let status = try members.requiredChoice("status", Consent.allCases)
            for name in ["collectedTimestamp", "description", "transactionId"] {
                if status == .optedIn {
                    _ = try members.requiredText(name, .reference)
                } else {
                    _ = try members.text(name, .reference)
                }
            }
            return status
        }
        return consent != .optedOut
    }

    private enum Consent: String, CaseIterable { case optedIn, optedOut, notCollected, unknown }
}

extension AuthSubjects.Link {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        guard let target = try members.finalTargetURL() else { throw .missing("finalTargetUrl") }
        self.target = target
        message = try members.message()
        sourceIP = try members.text("sourceIp", .ipAddress)
        // The address is compared later: an invalid one would let no link pass.
        if let sourceIP, IPAddress(sourceIP) == nil { throw FieldDefect("sourceIp", "is not an IP address") }
        customerID = try members.text("subscriptionCustomerId", .reference)
        try members.checkTestMode()
    }
}

extension AuthSubjects.Code {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        message = try members.message()
        allowRetry = try members.flag("allowOtpRetry") ?? false
        try members.checkTestMode()
    }
}

extension AuthSubjects.Passive {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        let age = try members.integer("maxAge") ?? 0
        guard (-1...Int64(Policy.maxKeyAges.upperBound)).contains(age) else {
            throw FieldDefect("maxAge", "must be a number of seconds, 0 or -1")
        }
        if age > 0 { maxAgeSeconds = Int(age) }
        let keepsBinding = try members.flag("cacheResult") ?? true
        rebind = age == -1 || !keepsBinding
        _ = try members.flag("localDomain")
        try members.checkTestMode()
    }
}

extension AuthSubjects.Device {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        id =
            try members.inside("claim") { (members) throws(FieldDefect) in
                try members.identifier("deviceId", DeviceID.self)
            }
        try members.check("authenticators") { (members) throws(FieldDefect) in
            passive = try members.inside("passive", AuthSubjects.checkUserVerification) != nil
        }
    }
}

extension AuthSubjects.User {
    fileprivate init(_ members: FieldReader) throws(FieldDefect) {
        user = try members.inside("claim") { (members) throws(FieldDefect) in
            SessionRequest.KeyHolder(
                id: try members.requiredText("userId", .reference), isKept: try members.flag("provided") ?? false)
        }
        try members.check("authenticators") { (members) throws(FieldDefect) in
            passive = try members.inside("passive", AuthSubjects.checkUserVerification) != nil
            try members.refuseUnsupported("present", "docv", "ppb")
        }
    }
}

extension AuthSubjects {
    private enum UserVerification: String, CaseIterable { case required, preferred, discouraged }

    /// No key of ours verifies its user: a caller that requires it cannot be served.
    fileprivate static func checkUserVerification(_ members: FieldReader) throws(FieldDefect) {
        if try members.choice("userVerificationLevel", UserVerification.allCases) == .required {
            throw FieldDefect("userVerificationLevel", "'required' is not supported by this server")
        }
        _ = try members.flag("allowPasscodeFallback")
    }
}

extension FieldReader {
    /// `{"claim":{"mobileNumber":"2001004014"}}`
    func claimedNumber() throws(FieldDefect) -> String? {
        try inside("claim") { (members) throws(FieldDefect) in
            try members.text("mobileNumber", .phoneNumber)
        }
    }

    fileprivate func message() throws(FieldDefect) -> AuthSubjects.Message {
        guard let template = try messageTemplate("messageText") else { throw .missing("messageText") }
        return AuthSubjects.Message(
            template: template, mayChangeNumber: try flag("allowMobileNumberRePrompt") ?? false)
    }

    /// A text with undocumented values; it has no effect.
    fileprivate func checkTestMode() throws(FieldDefect) {
        _ = try text("testMode", .reference)
    }
}
