internal import Possession
internal import StrictJSON
internal import Text

/// Reads an operator's answers about the number of a connection (CAMARA Number Verification 2.1.0).
enum NumberAnswers {
    private static let notOnNetwork = "NUMBER_VERIFICATION.USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK"

    static func number(in response: CAMARAResponse) throws(CAMARAFailure) -> PhoneNumber {
        guard let text = try answer(response)["devicePhoneNumber"]?.string, let number = PhoneNumber(e164: text) else {
            throw response.broken("200 without an E.164 number")
        }
        return number
    }

    static func verified(in response: CAMARAResponse) throws(CAMARAFailure) -> Bool {
        guard let isVerified = try answer(response)["devicePhoneNumberVerified"]?.bool else {
            throw response.broken("200 without devicePhoneNumberVerified")
        }
        return isVerified
    }

    private static func answer(_ response: CAMARAResponse) throws(CAMARAFailure) -> JSONObject {
        if response.status == 403, response.errorCode?.isSame(as: notOnNetwork) == true { throw .notServed }
        return try response.answer()
    }
}
