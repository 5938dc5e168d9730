internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// The operator's texts that a call may name. Their SIDs are computed from their ids.
struct Templates: Sendable {
    let engine: Engine
    let sha256: @Sendable ([UInt8]) -> [UInt8]

    func sid(of id: String) -> SID { SID(.template, Array(sha256(Array("template \(id)".utf8)).prefix(16))) }

    /// `nil`: the server has no such text.
    func id(of sid: SID) -> String? {
        engine.texts.catalog.templates.keys.first { self.sid(of: $0.text) == sid }?.text
    }

    /// All texts, sorted by id.
    func all(for caller: TwilioCaller) -> [TemplateDocument] {
        let catalog = engine.texts.catalog
        return catalog.templates.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }.map {
            TemplateDocument(
                sid: sid(of: $0.key.text), account: caller.sids.account, name: $0.key.text, texts: $0.value,
                first: catalog.defaultLocale)
        }
    }

    /// The text for an order's message, with its values; `nil`: neither the order nor its service names a text.
    /// - Parameter brand: the name that the message shows.
    /// - Throws: `.parameter`: the server has no such text, or the values do not fit.
    func worded(
        _ order: VerificationForm, codeLength: Int, by brand: Brand, _ rules: TenantRules
    ) throws(TwilioError) -> MessageTemplate? {
        let texts = engine.texts
        let named = order.template.map { id(of: $0) }
        if case .some(.none) = named {
            throw .parameter(FieldDefect("TemplateSid", "names a template that this account does not have"))
        }
        let languages = [order.locale, rules.locale, texts.catalog.defaultLocale].compactMap { $0 }
        // The operator may have removed the service's text.
        guard let id = named ?? brand.template,
            let template = texts.catalog.templates[ByteText(id)]?.text(for: languages)
        else {
            guard order.substitutions == nil else {
                throw .parameter(FieldDefect("TemplateCustomSubstitutions", "needs a template"))
            }
            return nil
        }
        let values = (order.substitutions ?? []).map { (name: $0.name, value: $0.value) }
        do throws(CallTemplate.Misfit) {
            return try template.worded(
                with: values, brand: order.friendlyName ?? brand.name ?? rules.displayName ?? texts.brand,
                minutes: TwilioRules.lifetimeSeconds / 60, codeLength: codeLength)
        } catch { throw .parameter(FieldDefect("TemplateCustomSubstitutions", "'\(error.name)' \(error.reason)")) }
    }
}
