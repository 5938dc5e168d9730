import COpenSSL
import Engine
import Possession

/// Returns if an OpenSSL call returned 1, its only value for success.
///
/// - Throws: `TokenFault` with the name of the call. It does not contain OpenSSL's own error text. OpenSSL's error
///   queue is cleared, so that the next call on this thread does not read a stale error.
func requireSuccess(_ result: Int32, _ call: StaticString) throws(TokenFault) {
    guard result == 1 else {
        ERR_clear_error()
        throw TokenFault("\(call) failed")
    }
}

/// Checks that an OpenSSL constructor returned an object.
///
/// - Throws: `TokenFault` when it returned none.
func requireObject(_ object: OpaquePointer?, _ call: StaticString) throws(TokenFault) -> OpaquePointer {
    guard let object else {
        ERR_clear_error()
        throw TokenFault("\(call) failed")
    }
    return object
}
