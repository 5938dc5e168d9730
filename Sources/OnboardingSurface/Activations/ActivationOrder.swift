internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The credentials of an order for an activation: a process and its code.
struct ActivationCredentials: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case onboarding = "ONBOARDING"
    }

    var process = CorrelationID(high: 0, low: 0)
    /// `nil`: the text does not have the form of a code.
    var code: OTP?

    static let shape = Shape(ActivationCredentials(), name: "ActivationCredentials") {
        Member.required("processId", .identifier(CorrelationID.self), "As the start of the process answered it.") {
            $0.process = $1
        }
        Member.described(must("otpCode", .code, "As the message has it."), "otpCode", Input<String>.anyText) {
            $0.code = OTP(TypedText.code($1))
        }
        Member.required("credentialsType", .choice(Kind.allCases), "There is one type.") { _, _ in }
    }
}

/// An order for an activation. `Phone` is the form in which it describes the phone.
struct ActivationOrder<Phone: Sendable>: Sendable {
    var credentials = ActivationCredentials()
    var phone: Phone

    /// - Parameter data: reads the phone.
    static func shape(_ phone: Phone, _ data: Input<Phone>) -> Shape<ActivationOrder> {
        Shape(ActivationOrder(phone: phone)) {
            Member.required("type", .choice(ActivationKind.allCases), "By which credentials.") { _, _ in }
            Member.required("identityAttributes", .object(ActivationCredentials.shape), "The credentials.") {
                $0.credentials = $1
            }
            Member.ignored("customAttributes", .object(.anything), "Is not looked at.")
            Member.required("activationData", data, "The phone.") { $0.phone = $1 }
        }
    }
}

enum ActivationKind: String, Sendable, CaseIterable {
    /// The operator chooses the credentials.
    case custom = "CUSTOM"
}

extension Input where Value == String {
    /// Any text that a phone reports about itself. At most 255 characters are kept, without control characters. Any
    /// name is accepted, because a refusal would cost a try.
    fileprivate static var phoneText: Input {
        anyText.map(orFail: "must be a text") { text in
            let kept = text.unicodeScalars.lazy.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: kept.prefix(255))
            return String(scalars)
        }
    }
}

extension Schema {
    /// Only documents the form. The endpoint itself refuses other texts, or none, and answers the tries left.
    fileprivate static var code: Schema { .text(pattern: "^[0-9]{\(OnboardingRules.codeLength)}$") }
}

/// A phone that asks for an activation, as its app describes it.
struct OrderingPhone: Sendable {
    /// 33 or 65 bytes.
    var publicKey: [UInt8] = []
    var name: String?
    var platform: String?
    var device: String?

    static let shape = Shape(OrderingPhone(), name: "OrderingPhone") {
        Member.required("devicePublicKey", .base64(33, 65), "A point of P-256, compressed or not.") {
            $0.publicKey = $1
        }
        Member.optional("activationName", .phoneText, "As the person named the phone.") { $0.name = $1 }
        Member.optional("platform", .phoneText, "Such as ios.") { $0.platform = $1 }
        Member.optional("deviceInfo", .phoneText, "Such as the model.") { $0.device = $1 }
        Member.ignored("extras", .anyText, "Is not looked at.")
    }

    func phone(_ keys: ApplicationKeys?) -> DeviceActivations.Phone {
        DeviceActivations.Phone(
            publicKey: publicKey,
            details: DeviceActivation.Details(name: name, platform: platform, device: device),
            applicationKey: keys?.applicationKey)
    }
}
