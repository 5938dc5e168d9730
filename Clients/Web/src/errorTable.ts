/** What can go wrong, by name: code, sentence for the developer, sentence for the person. The same as vectors/errors.json. */
export const errorTable = {
  invalid_request: [
    1001,
    "The server did not accept the form of a call. This is a bug in the client, or its version does not fit the server.",
    "Something went wrong. Please try again later.",
  ],
  invalid_token: [
    20001,
    "The server does not take the auth token: it has expired, or is of another server. The backend starts a new session.",
    "This took too long. Please start again.",
  ],
  invalid_dpop_proof: [
    20002,
    "The server did not accept the proof of a call: the device's clock is wrong, or the server is reached by another URL than its publicUrl.",
    "The time of your device seems to be wrong. Please correct it and try again.",
  ],
  token_already_used: [
    20003,
    "Another key has redeemed the auth token: that of another client, or of a run that is over. Each session takes one run only.",
    "This was already opened. Please start again.",
  ],
  origin_not_allowed: [
    20004,
    "The page's origin is not registered with the API client.",
    "Something went wrong. Please try again later.",
  ],
  invalid_state: [
    20010,
    "The call is not allowed at this step of the session.",
    "Something went wrong. Please try again.",
  ],
  session_done: [
    20011,
    "The session has ended.",
    "This has already ended. Please start again.",
  ],
  request_id_reused: [
    20012,
    "A requestId was sent again with another body. This is a bug in the client.",
    "Something went wrong. Please try again later.",
  ],
  otp_mismatch: [
    10001,
    "The code is wrong or has no form of a code.",
    "That code is not right. Please check it and try again.",
  ],
  otp_expired: [
    20101,
    "The code is too old.",
    "That code is too old. Please ask for a new one.",
  ],
  sends_exhausted: [
    20102,
    "No message is left in this session. A live code still counts.",
    "No more messages can be sent. Please use the last one.",
  ],
  phone_number_required: [
    20103,
    "A phone number is needed, and the step gave none.",
    "Please enter your phone number.",
  ],
  phone_number_invalid: [
    20104,
    "The text is no possible phone number.",
    "That is not a phone number. Please check it.",
  ],
  phone_number_not_allowed: [
    20105,
    "Numbers of this kind or country are not allowed.",
    "This number cannot be used. Please try another one.",
  ],
  phone_number_not_accepted: [
    20106,
    "The backend has named the number; the client must not.",
    "Something went wrong. Please try again later.",
  ],
  phone_change_not_allowed: [
    20106,
    "The API client does not allow another number.",
    "The number cannot be changed here.",
  ],
  phone_entries_exhausted: [
    20107,
    "No other number can be named in this session.",
    "No other number can be entered.",
  ],
  sms_failed: [
    20108,
    "No gateway took the message. The session has it back; the limits of its number counted it.",
    "The message could not be sent. Please try again.",
  ],
  otp_unavailable: [
    20109,
    "No code can be sent in this session.",
    "A code cannot be sent to this number.",
  ],
  link_denied: [
    20201,
    "The person refused on the phone. It stands in the state only.",
    "The request was refused on the phone.",
  ],
  link_expired: [
    20202,
    "The link was not opened in time. It stands in the state, or the wait is over.",
    "The link was not opened in time. Please start again.",
  ],
  link_ip_mismatch: [
    20203,
    "The link was opened from another network. It stands in the state only.",
    "The link was opened on another network.",
  ],
  link_phone_mismatch: [
    20204,
    "The link was opened on another phone. It stands in the state only.",
    "The link was opened on another phone.",
  ],
  link_match_code_mismatch: [
    20205,
    "The person typed another number than the waiting page shows. It stands in the state only.",
    "The number that was typed is not the one shown here. Please start again.",
  ],
  vfp_invalid: [
    20301,
    "The result of Mobile Auth does not belong to this attempt.",
    "Something went wrong. Please try again.",
  ],
  vfp_expired: [
    20302,
    "The result of Mobile Auth came too late.",
    "Something went wrong. Please try again.",
  ],
  mobile_auth_unavailable: [
    20303,
    "The mobile network gave no answer. It stands in the state only.",
    "Your mobile network could not confirm the number.",
  ],
  mobile_auth_mismatch: [
    20304,
    "The mobile network named another number. It stands in the state only.",
    "Your mobile network could not confirm the number.",
  ],
  device_proof_invalid: [
    20401,
    "The device proof was not accepted.",
    "Something went wrong. Please try again.",
  ],
  device_number_mismatch: [
    20402,
    "The device key belongs to another number.",
    "This device belongs to another number.",
  ],
  rate_limited: [
    20900,
    "Too many calls; retryAfterSeconds tells when to come back.",
    "Too many tries. Please wait a little.",
  ],
  internal: [
    1000,
    "The server has failed or is overloaded (also 503).",
    "Something went wrong. Please try again later.",
  ],
  network: [
    30001,
    "The server could not be reached, or what answered is not Holdfast.",
    "No connection. Please check your network and try again.",
  ],
  cancelled: [
    30002,
    "A step gave up, or the app cancelled. What the step said is the cause.",
    "Cancelled.",
  ],
  step_missing: [
    30003,
    "The session needs a step that the app did not give to the builder.",
    "Something went wrong. Please try again later.",
  ],
  no_check_left: [
    30004,
    "No check is left that could prove the number.",
    "Your number could not be confirmed.",
  ],
  too_many_steps: [
    30005,
    "The run has made more calls or run more steps than a person can need.",
    "Too many tries. Please start again.",
  ],
  key_unavailable: [
    30006,
    "Keys cannot be made or kept here: the page is not secure (https or localhost), or storage is closed.",
    "This browser or device cannot be used here.",
  ],
  step_invalid: [
    30007,
    "A step of the app gave something of a wrong type.",
    "Something went wrong. Please try again later.",
  ],
  token_missing: [
    30008,
    "authenticate was called without an auth token. The backend starts a session and gives the app its authToken.",
    "Something went wrong. Please try again later.",
  ],
  token_malformed: [
    30009,
    "What authenticate was given is no auth token.",
    "Something went wrong. Please try again later.",
  ],
  server_not_expected: [
    30010,
    "The auth token is of a server that this app does not call.",
    "Something went wrong. Please try again later.",
  ],
} as const;

export type ErrorName = keyof typeof errorTable;
