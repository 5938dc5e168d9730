/// The sheets that the guide's steps show, on the main thread. The person looks at each and acts.
final class SheetObservable: ObservableObject, @unchecked Sendable {
    enum Sheet {
        case otpStart, otpFinish, linkStart, linkRetry
    }

    var shown: (Sheet) -> Void = { _ in }
    var isPhoneValidationError = false
    var isOtpValidationError = false
    var isOtpStartActive = false { didSet { show(.otpStart, isOtpStartActive) } }
    var isOtpFinishActive = false { didSet { show(.otpFinish, isOtpFinishActive) } }
    var isInstantLinkStartActive = false { didSet { show(.linkStart, isInstantLinkStartActive) } }
    var isInstantLinkRetryActive = false { didSet { show(.linkRetry, isInstantLinkRetryActive) } }

    private func show(_ sheet: Sheet, _ isActive: Bool) {
        if isActive { shown(sheet) }
    }
}
