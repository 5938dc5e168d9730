internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The members that the calls which start a Pre-Fill run share, in the order of the documentation (Prove 6.1).
extension PlatformService.SessionOrder {
    /// - Parameter number: how `phoneNumber` is read.
    @MemberBuilder<Self> static func prefillMembers(_ number: Input<String>) -> [Member<Self>] {
        // The tenant's own check is not allowed as a flow here.
        Member.required(
            "flowType", .choice([SessionRequest.Flow.mobile, .desktop]), "mobile: code or link. desktop: link."
        ) { $0.flow = $1 }
        Member.optional("phoneNumber", number, "The claimed number.") { $0.phoneNumber = $1 }
        Member.optional("finalTargetUrl", .finalTargetURL, "The page that the link leads to in the end.") {
            $0.finalTargetURL = $1
        }
        Member.part(\.claim, PersonClaim.members)
        Member.optional("emailAddress", .emailAddress, "The e-mail address of the person.") { $0.emailAddress = $1 }
        Member.optional("ipAddress", .ipAddress, "The IP address of the person's device.") { $0.ipAddress = $1 }
        Member.optional("smsMessage", .messageTemplate, "The message; #### is the code.") {
            $0.codeTemplate = $1
            $0.linkTemplate = $1
        }
        Member.optional("allowOTPRetry", .flag, "More than one try at a code.") { $0.allowOTPRetry = $1 }
        Member.optional("locale", .locale, "The language of messages.") { $0.locale = $1 }
    }
}

/// Facts that a caller knows about a person.
extension PersonClaim {
    /// `last4SSN` is `ssn` in the first SDKs (Prove 14).
    @MemberBuilder<Self> static var members: [Member<Self>] {
        Member.optional("dob", .dob, "YYYY-MM-DD, YYYY-MM or MM-DD, from 1900 on.") { $0.dob = $1 }
        Member.optional("ssn", .ssn, "Nine digits, or the last four.") { $0.ssn = $1 }
        Member.optional("last4SSN", .ssn, "The older name of ssn.") { $0.ssn = $0.ssn ?? $1 }
    }
}

/// Readers for texts of the calls that start a session.
extension FieldReader {
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
            case .containsURL: throw FieldDefect(name, "must not have a link or a telephone number of its own")
            }
        }
    }
}
