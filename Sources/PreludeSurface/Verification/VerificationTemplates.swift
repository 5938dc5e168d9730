internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The texts that a create call names by `template_id`, and the payment of a code from `prelude:psd2`.
///
/// The operator configures the texts by id. The program has a built-in text for `prelude:psd2`; an operator's text with
/// that id replaces it. With either text, the code is valid only for the payment that the variables describe.
struct VerificationTemplates: Sendable {
    /// A template with its values.
    struct Worded: Sendable {
        let text: MessageTemplate
        let payment: PaymentDigest?
    }

    /// The vendor's built-in template for payments (Directive (EU) 2015/2366).
    static let payment = "prelude:psd2"

    let engine: Engine

    private static let ownPayment = CallTemplates(
        (try? CallTemplate("{code} pays {amount} {currency} to {recipient}. Do not share this code with anyone.")).map {
            [.english: $0]
        } ?? [:])

    /// - Returns: `nil`: the call names no template.
    /// - Throws: `.field`: there is no such template, or its variables do not fit.
    func worded(
        _ options: VerificationOptions, codeLength: Int, minutes: Int, by rules: TenantRules
    ) throws(PreludeError) -> Worded? {
        guard let id = options.templateID else { return nil }
        let texts = engine.texts
        let isPayment = id.isSame(as: Self.payment)
        let own = texts.catalog.templates[ByteText(id)] ?? (isPayment ? Self.ownPayment : nil)
        let languages = [options.locale, rules.locale, texts.catalog.defaultLocale].compactMap { $0 }
        guard let template = own?.text(for: languages) else {
            throw .field(FieldDefect("options.template_id", "names no template of this server"))
        }
        let values = options.variables.members.compactMap { member in
            member.value.string.map { (name: member.name, value: $0) }
        }
        let payment = isPayment ? digest(of: try order(values)) : nil
        do throws(CallTemplate.Misfit) {
            let text = try template.worded(
                with: values, brand: rules.displayName ?? texts.brand, minutes: minutes, codeLength: codeLength)
            return Worded(text: text, payment: payment)
        } catch { throw .field(FieldDefect("options.variables", "'\(error.name)' \(error.reason)")) }
    }

    /// The payment that a check names; `nil`: the check names none.
    func payment(of psd2: PSD2) -> PaymentDigest? {
        guard psd2.isNamed else { return nil }
        // A payment that cannot exist matches no code.
        return psd2.order.map(digest) ?? PaymentDigest([])
    }

    private func digest(of order: PaymentOrder) -> PaymentDigest {
        PaymentDigest(engine.crypto.keyed.body(order.bytes).bytes)
    }

    private func order(_ values: [(name: String, value: String)]) throws(PreludeError) -> PaymentOrder {
        func value(_ name: String) throws(PreludeError) -> String {
            guard let value = values.first(where: { $0.name.isSame(as: name) })?.value else {
                throw .field(FieldDefect("options.variables", "'\(name)' is missing"))
            }
            return value
        }
        let (amount, currency, payee) = (try value("amount"), try value("currency"), try value("recipient"))
        guard let amount = Amount(amount), let order = PaymentOrder(amount: amount, currency: currency, payee: payee)
        else {
            throw .field(
                FieldDefect(
                    "options.variables",
                    "must have a plain amount, a currency of three capital letters, and a recipient"))
        }
        return order
    }
}

/// The payment that the person approves with a code, as a check describes it.
struct PSD2: Sendable {
    private var amount: Amount?
    private var currency = ""
    private var recipient = ""

    static let shape = Shape(PSD2(), name: "PSD2") {
        Member.optional("amount", .amount, "A number, or a number as text.") { $0.amount = $1 }
        Member.optional("currency", .text(.freeText(3)), "ISO 4217: three capital letters.") { $0.currency = $1 }
        Member.optional(
            "recipient", .text(.freeText(256)), "The name of the recipient, with the same characters as in the create."
        ) { $0.recipient = $1 }
    }

    /// Whether the check names a payment at all.
    var isNamed: Bool { amount != nil || !currency.utf8.isEmpty || !recipient.utf8.isEmpty }

    /// `nil`: the members do not describe a payment that a template could have.
    var order: PaymentOrder? {
        amount.flatMap { PaymentOrder(amount: $0, currency: currency, payee: recipient) }
    }
}

extension Input where Value == Amount {
    /// A number as it was written in JSON, or a text.
    fileprivate static var amount: Input {
        let text = Schema.text(pattern: "^[0-9]{1,15}([.][0-9]{1,8})?$")
        return Input(.any(of: [Schema(["type": "number"]), text])) { (fields, name) throws(FieldDefect) in
            let written: String
            switch fields.object[name] {
            case nil, .null: return nil
            case .integer(let number): written = String(number)
            case .number(let number): written = number
            case .string(let text): written = text
            case .bool, .array, .object: throw FieldDefect(name, "must be a number")
            }
            if written.utf8.isEmpty { return nil }
            guard let amount = Amount(written) else { throw FieldDefect(name, "must be a number without a sign") }
            return amount
        }
    }
}
