internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The members that the calls which start a session share.
extension FieldReader {
    /// Every member in the order of the documentation (Prove 6.1).
    func prefillOrder() throws(FieldDefect) -> PlatformService.SessionOrder {
        var order = PlatformService.SessionOrder(.prefill, flow: try flowType())
        order.phoneNumber = try text("phoneNumber", .phoneNumber)
        order.finalTargetURL = try finalTargetURL()
        order.claim = try claim()
        order.emailAddress = try text("emailAddress", .emailAddress)
        order.ipAddress = try text("ipAddress", .ipAddress)
        order.codeTemplate = try messageTemplate()
        order.linkTemplate = order.codeTemplate
        order.allowOTPRetry = try flag("allowOTPRetry") ?? false
        return order
    }

    /// The flow must not be one of the tenant's own check.
    func flowType() throws(FieldDefect) -> SessionRequest.Flow {
        try requiredChoice("flowType", [SessionRequest.Flow.mobile, .desktop])
    }

    /// `dob` and `ssn`; `last4SSN` is what the first SDKs called the latter (Prove 14).
    func claim() throws(FieldDefect) -> PersonClaim {
        var claim = PersonClaim(dob: try dob("dob"), ssn: try ssn("ssn"))
        let older = try ssn("last4SSN")
        claim.ssn = claim.ssn ?? older
        return claim
    }

    func dob(_ name: String) throws(FieldDefect) -> PartialDate? {
        guard let text = try text(name, .any) else { return nil }
        guard let date = PartialDate(text) else {
            throw FieldDefect(name, "must be a date: YYYY-MM-DD, YYYY-MM or MM-DD")
        }
        return date
    }

    func ssn(_ name: String) throws(FieldDefect) -> PartialSSN? {
        guard let text = try text(name, .any) else { return nil }
        guard let ssn = PartialSSN(text) else { throw FieldDefect(name, "must be nine digits, or the last four") }
        return ssn
    }

    func finalTargetURL() throws(FieldDefect) -> FinalTargetURL? {
        let name = "finalTargetUrl"
        guard let text = try text(name, .any) else { return nil }
        do throws(FinalTargetURL.Defect) { return try FinalTargetURL(text) } catch {
            switch error {
            case .tooLong: throw FieldDefect(name, "is longer than \(FinalTargetURL.maxCharacters) characters")
            case .character: throw FieldDefect(name, "may have only letters, digits and - . _ + = / : ?")
            case .form: throw FieldDefect(name, "must be an absolute URL")
            case .scheme: throw FieldDefect(name, "must begin with https://")
            case .host: throw FieldDefect(name, "must name a host")
            }
        }
    }

    func messageTemplate(_ name: String = "smsMessage") throws(FieldDefect) -> MessageTemplate? {
        guard let text = try text(name, .any) else { return nil }
        do throws(MessageTemplate.Defect) { return try MessageTemplate(text, lengths: 4...6) } catch {
            switch error {
            case .tooLong: throw FieldDefect(name, "is longer than \(MessageTemplate.maxCharacters) characters")
            case .noPlaceholder: throw FieldDefect(name, "must have ####, ##### or ###### where the code goes")
            case .severalPlaceholders: throw FieldDefect(name, "has more than one run of #")
            case .controlCharacter: throw FieldDefect(name, "has a control character")
            case .containsURL: throw FieldDefect(name, "must not have a link of its own")
            }
        }
    }
}
