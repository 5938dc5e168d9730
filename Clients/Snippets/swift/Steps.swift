import Foundation
import Holdfast

// GUIDE swift/otp-start-no-prompt
// GUIDE swift/otp-start-prompt
// GUIDE swift/otp-finish-no-prompt
// GUIDE swift/otp-finish-resend
// GUIDE swift/otp-finish-phone-change
// GUIDE swift/link-start-no-prompt
// GUIDE swift/link-start-prompt
// GUIDE swift/link-retry-resend
// GUIDE swift/link-retry-phone-change
