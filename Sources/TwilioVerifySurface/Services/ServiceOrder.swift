internal import Possession
internal import SurfaceKit

/// Members of a service that have no effect here. They are stored, because programs compare the answer with what they
/// sent.
enum ServiceWish: UInt8, Sendable {
    /// Carrier look-up. This server asks no carrier.
    case lookup = 1
    /// No text messages to landlines. This server never sends any.
    case skipLandlines = 2
    /// A warning in the message. The operator chooses the texts, and the built-in texts have a warning.
    case warning = 4

    /// - Parameter switches: the `switches` of a brand.
    func isKept(in switches: UInt8) -> Bool { switches & rawValue != 0 }
}

/// The form of a call that adds or changes a service. Absent members stay unchanged.
struct ServiceOrder: Sendable {
    private(set) var name: String?
    private(set) var codeLength: Int?
    private(set) var takesOwnCodes: Bool?
    private(set) var template: SID?
    private var wished: UInt8 = 0
    private var unwished: UInt8 = 0
    /// A member that asks for a feature that services here do not have. Ignoring it would break what the caller relies
    /// on, so the call is refused.
    private(set) var foreign: String?

    private mutating func set(_ wish: ServiceWish, _ isWanted: Bool) {
        if isWanted { wished |= wish.rawValue } else { unwished |= wish.rawValue }
    }

    /// - Parameter template: the id of the text with the SID `self.template`.
    func apply(to brand: inout Brand, template: String?) {
        brand.name = name ?? brand.name
        brand.codeLength = codeLength ?? brand.codeLength
        brand.takesOwnCodes = takesOwnCodes ?? brand.takesOwnCodes
        brand.template = template ?? brand.template
        brand.switches = brand.switches & ~unwished | wished
    }

    static let new = shape(isNew: true)
    static let change = shape(isNew: false)

    private static func shape(isNew: Bool) -> Shape<ServiceOrder> {
        Shape(
            ServiceOrder(),
            check: { (order) throws(FieldDefect) in
                guard let name = order.name, let defect = Brand.defect(ofName: name) else { return }
                throw FieldDefect("FriendlyName", defect)
            }
        ) {
            name(isNeeded: isNew)
            Member.optional("CodeLength", .formInteger(Policy.Code.lengths), "Digits of a code; 6 unless given.") {
                $0.codeLength = $1
            }
            Member.optional("CustomCodeEnabled", .formFlag, "Whether CustomCode is taken; false unless given.") {
                $0.takesOwnCodes = $1
            }
            Member.optional("DefaultTemplateSid", .sid(.template), "The text of messages that name none.") {
                $0.template = $1
            }
            Member.optional("LookupEnabled", .formFlag, "Kept. No effect.") { $0.set(.lookup, $1) }
            Member.optional("SkipSmsToLandlines", .formFlag, "Kept. No effect: there are none to landlines.") {
                $0.set(.skipLandlines, $1)
            }
            Member.optional("DoNotShareWarningEnabled", .formFlag, "Kept. No effect: texts are the operator's.") {
                $0.set(.warning, $1)
            }
            Member.optional("Psd2Enabled", .formFlag, "true is refused.") { if $1 { $0.foreign = "Psd2Enabled" } }
            Member.optional("DtmfInputRequired", .formFlag, "true is refused: calls ask for no key.") {
                if $1 { $0.foreign = "DtmfInputRequired" }
            }
            Member.ignored("TtsName", .text(.freeText(64)), "No effect: voices are the gateway's.")
            Member.ignored("VerifyEventSubscriptionEnabled", .formFlag, "No effect: see webhooks.")
        }
    }

    private static func name(isNeeded: Bool) -> Member<ServiceOrder> {
        let about = "The name in messages: at most 32 characters, and no link or telephone number."
        let rule = Input<String>.text(.freeText(32))
        return isNeeded
            ? Member.required("FriendlyName", rule, about) { $0.name = $1 }
            : Member.optional("FriendlyName", rule, about) { $0.name = $1 }
    }

    static let refusals: [TwilioError] = [.featureOff("DtmfInputRequired"), .servicesFull]
}
