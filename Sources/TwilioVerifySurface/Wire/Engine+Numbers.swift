internal import Possession
internal import SurfaceKit

extension Engine {
    /// Reads a number of a call. The vendor takes E.164 only.
    /// - Throws: `.parameter`, which names the field.
    func submitted(
        _ text: String, _ field: String, for client: ClientID
    ) throws(TwilioError) -> SubmittedNumber {
        if let defect = NumberText.internationalDefect(of: text) { throw .parameter(FieldDefect(field, defect)) }
        do throws(NumberRefusal) { return try numbers.read(text, for: client) } catch {
            throw TwilioError(SendRefusal(error), number: field)
        }
    }

    /// Reads a number that a call looks up. The vendor takes E.164 only, and a number that this server does not serve is nowhere.
    /// - Throws: `.notFound`; `.parameter` for what is no number.
    func known(_ text: String, _ field: String, for client: ClientID) throws(TwilioError) -> PhoneNumber {
        if let defect = NumberText.internationalDefect(of: text) { throw .parameter(FieldDefect(field, defect)) }
        do throws(NumberRefusal) { return try numbers.read(text, for: client).number } catch {
            guard error == .malformed else { throw .notFound }
            throw .parameter(FieldDefect(field, "is not a possible phone number"))
        }
    }
}
