internal import StrictJSON

// The output of commands.

/// One line to the error output, past any log.
package func printError(_ text: String) {
    StandardStream.write(text + "\n", to: 2)
}

/// An object on a line of its own.
func printJSON(_ object: JSONObject) {
    print(String(decoding: object.serialized(), as: UTF8.self))
}

/// Each member of an answer's list on a line of its own.
func printLines(of name: String, in answer: JSONObject) {
    for value in answer[name]?.array ?? [] { print(String(decoding: value.serialized(), as: UTF8.self)) }
}
