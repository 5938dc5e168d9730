internal import Outbound
internal import Possession
internal import StrictJSON

extension Configuration.Reputation {
    /// - Parameter mobileAuth: an operator of the same name lends its token URL and our name there.
    init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?, _ mobileAuth: Configuration.MobileAuth) {
        url = reader.text(.reputationURL)
        secretFile = reader.text(.reputationSecretFile)
        whenUnknown = reader.text(.reputationWhenUnknown).flatMap(ReputationCheck.WhenUnknown.init) ?? .fail
        simSwapHours = reader.integer(.simSwapHours) ?? 24
        timeoutSeconds = reader.integer(.reputationTimeout) ?? 3
        circuitFailures = reader.integer(.reputationFailures) ?? 5
        circuitPauseSeconds = reader.integer(.reputationPause) ?? 30
        operators = []
        let (hasURL, hasSecret) = (reader.isSet(.reputationURL), reader.isSet(.reputationSecretFile))
        if hasURL, mode == .sandbox { reader.refuse(.reputationURL, "the users file has the standing of numbers") }
        if let defect = urlDefect { reader.refuse(.reputationURL, defect) }
        if hasURL && !hasSecret { reader.refuse(.reputationSecretFile, "missing; reputation.url needs it") }
        if hasSecret && !hasURL { reader.refuse(.reputationURL, "missing; reputation.secretFile is for it") }
        readOperators(&reader, mode, mobileAuth)
    }

    private mutating func readOperators(
        _ reader: inout ConfigurationReader, _ mode: Configuration.Mode?, _ mobileAuth: Configuration.MobileAuth
    ) {
        guard let object = reader.object(.reputationOperators) else {
            if reader.isSet(.reputationOperators) {
                reader.refuse(.reputationOperators, ConfigurationKey.reputationOperators.demand)
            }
            return
        }
        if mode == .sandbox {
            reader.refuse(.reputationOperators, "the users file has the standing of numbers")
        }
        if reader.isSet(.reputationURL) {
            reader.refuse(.reputationOperators, "reputation.url is set: there can be only one of the two")
        }
        let known = reader.mistakes.count
        for member in object.members {
            let namesake = mobileAuth.operators.first { $0.name.utf8.elementsEqual(member.name.utf8) }
            operators.append(Configuration.ReputationOperator(&reader, member, namesake))
        }
        // The values are only checked where all of them have the right form.
        guard reader.mistakes.count == known else { return }
        for defect in defects { reader.refuse(at: defect.path, defect.reason) }
    }
}
