"""Each check of the demo is played as a person would: in the shop, and on the phone beside it."""


def a_code_is_read_on_the_phone_and_typed_in_the_shop(world):
    with world.demo() as demo:
        demo.choose("otp").create()
        demo.await_screen("Enter the code")
        demo.type_code(demo.code())
        demo.await_proven()
        demo.await_event("otp_passed")
        assert demo.steps() == ["start", "authenticate", "otpStart", "otpFinish", "finish"], demo.steps()
        paths = [(maker, path.split("?")[0]) for maker, path, _ in demo.calls()]
        assert paths == [
            ("backend", "POST /v3/unify"), ("page", "POST /client/v1/session"), ("page", "POST /client/v1/session/otp"),
            ("page", "POST /client/v1/session/otp/verify"), ("backend", "POST /v3/unify-status")], paths
        demo.visit.picture("otp-proven")
