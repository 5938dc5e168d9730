// What the events of a timeline mean, in a few words.

const meanings = {
  created: "The backend started the session.",
  redeemed: "The page brought the token, with a key of its own.",
  second_key_refused: "A second client came with the same token.",
  device_challenged: "The server asked for a proof of the device key.",
  device_proof_refused: "The proof was not accepted.",
  device_key_retired: "The key is no longer valid.",
  device_key_ignored: "The device key does not count here.",
  device_key_pending: "A new device key waits until the number is proven.",
  device_key_recognized: "The device key is known: nothing else is needed.",
  device_number_mismatch: "The device key belongs to another number.",
  device_key_bound: "The device key is tied to the number now.",
  otp_sent: "The code went out.",
  otp_send_failed: "The carrier did not take the message.",
  otp_mismatch: "The code was wrong.",
  otp_expired: "The code came too late.",
  otp_passed: "The code was right.",
  mobile_auth_begun: "The page asked for Mobile Auth.",
  mobile_auth_sent_to_operator: "The page is at the mobile network.",
  mobile_auth_answered: "The mobile network answered.",
  mobile_auth_passed: "The mobile network confirmed the number.",
  mobile_auth_failed: "The mobile network did not confirm the number.",
  fingerprint_refused: "The result of Mobile Auth was not accepted.",
  link_sent: "The link went out.",
  link_send_failed: "The carrier did not take the message.",
  link_expired: "The link came too late.",
  link_approved: "The person approved on the phone.",
  link_approval_refused: "The approval does not count.",
  link_denied: "The person refused on the phone.",
  reputation_failed: "The number’s standing is too low.",
  reputation_unknown: "Nobody could tell the number’s standing.",
  succeeded: "The number is proven.",
  failed: "The number is not proven.",
  cancelled: "The session was given up.",
  expired: "Nobody finished in time.",
  possession_required: "The backend has to prove the number in its own way.",
};

export function explain(event) {
  return meanings[event] || "";
}
