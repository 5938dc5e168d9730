import COpenSSL
import Possession

/// Passes when an OpenSSL call answered 1, its only answer for success.
///
/// - Throws: `TokenFault` with the name of the call. OpenSSL's own error text stays out of it, and its queue is
///   emptied so that the next call on this thread does not read a stale error.
func requireSuccess(_ result: Int32, _ call: StaticString) throws(TokenFault) {
    guard result == 1 else {
        ERR_clear_error()
        throw TokenFault("\(call) failed")
    }
}

/// The object an OpenSSL constructor made.
///
/// - Throws: `TokenFault` when it made none.
func requireObject(_ object: OpaquePointer?, _ call: StaticString) throws(TokenFault) -> OpaquePointer {
    guard let object else {
        ERR_clear_error()
        throw TokenFault("\(call) failed")
    }
    return object
}
