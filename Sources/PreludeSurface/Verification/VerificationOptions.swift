internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The options of a verification.
struct VerificationOptions: Sendable {
    enum Method: String, CaseIterable, Sendable { case auto, voice, message }

    /// The channels of the wire format. A channel that no gateway here carries maps to none of the engine's.
    enum WireChannel: String, CaseIterable, Sendable {
        case sms, rcs, whatsapp, viber, zalo, telegram

        var channel: OutgoingMessage.Channel? {
            switch self {
            case .sms: .sms
            case .whatsapp: .whatsapp
            case .viber: .viber
            case .rcs, .zalo, .telegram: nil
            }
        }
    }

    var method = Method.auto
    var preferredChannel: WireChannel?
    var channels: [WireChannel]?
    var codeSize: Int?
    var customCode: OTP?
    var locale: LanguageTag?
    var realm: AppRealm?
    var callbackURL: String?
    var templateID: String?
    var variables = JSONObject()

    static let codeSizes = 4...8

    static let shape = Shape(
        VerificationOptions(), name: "VerificationOptions",
        check: { (options) throws(FieldDefect) in
            if options.channels != nil, options.preferredChannel != nil {
                throw FieldDefect("channels", "and preferred_channel exclude each other")
            }
        }
    ) {
        Member.optional("method", .choice(Method.allCases), "message: never silent. voice: a call.") {
            $0.method = $1
        }
        Member.optional("preferred_channel", .choice(WireChannel.allCases), "Where it is set up.") {
            $0.preferredChannel = $1
        }
        Member.optional("channels", .wireChannels, "The only ones, the first one first.") { $0.channels = $1 }
        Member.ignored("max_auto_fallbacks", .whole(0...100), "The server's routes decide.")
        Member.optional("code_size", .whole(codeSizes), "Digits; 6 unless given. Fixed by the first call.") {
            $0.codeSize = $1
        }
        Member.optional("custom_code", .customCode, "The code to send.") { $0.customCode = $1 }
        Member.optional(
            "locale",
            Input<String>.text(.freeText(35)).map(orFail: "must be a language such as el-GR") { LanguageTag($0) },
            "The language of the message."
        ) { $0.locale = $1 }
        Member.optional(
            "template_id", .text(.freeText(64)),
            "prelude:psd2, or a text of the operator (templates of the file of texts). Fixed by the first call."
        ) { $0.templateID = $1 }
        Member.optional("variables", .texts, "Values of the template's places.") { $0.variables = $1 }
        Member.ignored("sender_id", .text(.freeText(64)), "The server's routes decide.")
        Member.optional(
            "callback_url", .callbackURL,
            """
            Where the events of the verification are told: below the URL of a webhook endpoint of the API client, of the \
            format prelude. Fixed by the first call.
            """
        ) { $0.callbackURL = $1 }
        Member.optional(
            "app_realm", .object(AppRealm.shape),
            """
            The app or the page that takes the code out of a text message: its last line names it. The API client must have \
            registered it. Fixed by the first call.
            """
        ) {
            $0.realm = $1
        }
        Member.ignored("force_challenge", .noChallenge, "This server has no challenges.")
    }
}

/// The app or the page that reads the code from the message automatically.
struct AppRealm: Sendable {
    enum Platform: String, CaseIterable, Sendable { case android, web }

    var platform = Platform.android
    var value = ""

    private static let scheme = "https://"
    /// The last line of a message has at most 140 characters, including the code and three further characters.
    private static let mostHostBytes = 128

    /// The part of the message's last line that names the reader: the hash of the app, or the host of the page.
    var codeReader: String {
        let isOrigin = platform == .web && value.begins(with: Self.scheme)
        return isOrigin ? String(decoding: value.utf8.dropFirst(Self.scheme.utf8.count), as: UTF8.self) : value
    }

    var declaration: Session.Declaration { .reading(codesBy: codeReader, on: enginePlatform) }

    var enginePlatform: Possession.Platform {
        switch platform {
        case .android: .android
        case .web: .web
        }
    }

    static let shape = Shape(
        AppRealm(), name: "AppRealm",
        check: { (realm) throws(FieldDefect) in
            guard !realm.isValid else { return }
            throw FieldDefect("value", "must be a hash of 11 characters (android), or a domain of at most 128 (web)")
        }
    ) {
        Member.required(
            "platform", .choice(Platform.allCases),
            "android: value is the hash of an app. web: value is the domain of a page."
        ) { $0.platform = $1 }
        Member.required("value", .filledText(.freeText(253)), "web: a domain, or its origin without a port.") {
            $0.value = $1
        }
    }

    private var isValid: Bool {
        switch platform {
        case .android:
            value.utf8.count == 11
                && value.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        case .web:
            (1...Self.mostHostBytes).contains(codeReader.utf8.count)
                && codeReader.utf8.allSatisfy {
                    $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                }
        }
    }
}

extension Input where Value == Int {
    static func whole(_ range: ClosedRange<Int>) -> Input {
        Input<Int64>.integer(range).map(orFail: "must be \(range.lowerBound) to \(range.upperBound)") {
            Int(exactly: $0).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Input where Value == OTP {
    fileprivate static var customCode: Input {
        Input<String>.text(.freeText(8)).map(orFail: "must be 4 to 8 digits") { OTP($0) }
    }
}

extension Input where Value == [VerificationOptions.WireChannel] {
    fileprivate static var wireChannels: Input {
        Input<[String]>.list(of: .freeText(16), most: 6).map(orFail: "must name channels, each once") { names in
            let channels = names.compactMap { VerificationOptions.WireChannel.spelled($0) }
            let isValid = !names.isEmpty && channels.count == names.count && Set(channels).count == channels.count
            return isValid ? channels : nil
        }
    }
}

extension Input where Value == String {
    fileprivate static var callbackURL: Input {
        Input<String>.text(.freeText(WebhookRules.mostURLBytes)).map(orFail: "must be an http or https URL") { text in
            text.begins(with: "https://") || text.begins(with: "http://") ? text : nil
        }
    }
}

extension Input where Value == Bool {
    fileprivate static var noChallenge: Input {
        Input<Bool>.flag.map(orFail: "is not supported by this server") { $0 ? nil : $0 }
    }
}

extension Input where Value == JSONObject {
    private static var maxTexts: Int { 50 }

    /// Texts by name: at most 50, each of at most 1,024 bytes.
    static var texts: Input {
        Input<JSONObject>.object(.map(of: .text())).map(orFail: "must have texts only, of at most 1024 bytes") {
            object in
            let isValid =
                object.members.count <= maxTexts
                && object.members.allSatisfy { $0.value.string.map { $0.utf8.count <= 1024 } ?? false }
            return isValid ? object : nil
        }
    }
}
