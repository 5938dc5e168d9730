internal import Engine
internal import Possession
internal import SurfaceKit

extension Engine {
    /// Reads a number of a call. Like the vendor, accepts only E.164.
    /// - Throws: `.parameter` with the name of the field.
    func submitted(
        _ text: String, _ field: String, for client: ClientID
    ) throws(TwilioError) -> SubmittedNumber {
        if let defect = NumberText.internationalDefect(of: text) { throw .parameter(FieldDefect(field, defect)) }
        do throws(NumberRefusal) { return try network.numbers.read(text, for: client) } catch {
            throw TwilioError(SendRefusal(error), number: field)
        }
    }

    /// Reads a number to look up. Like the vendor, accepts only E.164. Nothing can exist for a number that this server
    /// does not serve.
    /// - Throws: `.notFound`: the number is not served; `.parameter`: the text is not a number.
    func known(_ text: String, _ field: String, for client: ClientID) throws(TwilioError) -> PhoneNumber {
        if let defect = NumberText.internationalDefect(of: text) { throw .parameter(FieldDefect(field, defect)) }
        do throws(NumberRefusal) { return try network.numbers.read(text, for: client).number } catch {
            guard error == .malformed else { throw .notFound }
            throw .parameter(FieldDefect(field, "is not a possible phone number"))
        }
    }
}
