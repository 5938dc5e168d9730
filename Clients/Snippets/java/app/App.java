package app;

import android.content.Context;
import dev.holdfast.proveauth.OtpFinishStep;
import dev.holdfast.proveauth.OtpStartStep;
import java.util.ArrayDeque;
import java.util.Deque;

/** What the guide's code takes from the app around it: the person, the fields of the page, the steps. */
public class App extends Context {
    /** What the person does next: {@code number 2001004014}, {@code code 1234}, {@code resend}, {@code change}, {@code nothing}. */
    public static final Deque<String> person = new ArrayDeque<>();

    public static OtpStartStep otpStartStep;
    public static OtpFinishStep otpFinishStep;
    public static String firstName = "";
    public static String lastName = "";
    public static MyBackendClient.AuthFinishResponse seen;

    static final EditText firstNameEditText = new EditText(text -> firstName = text);
    static final EditText lastNameEditText = new EditText(text -> lastName = text);

    static String promptForPhoneNumber() {
        return typed("number ");
    }

    static String promptForOtpCode() {
        return typed("code ");
    }

    static boolean promptForResend(String question) {
        return presses("resend");
    }

    static boolean promptForPhoneNumberChange(String question) {
        return presses("change");
    }

    private static String typed(String what) {
        String text = person.isEmpty() ? "" : person.poll();
        if (!text.startsWith(what)) {
            throw new IllegalStateException("cancelled");
        }
        return text.substring(what.length());
    }

    private static boolean presses(String button) {
        return button.equals(person.peek()) && person.poll() != null;
    }

    static final class EditText {
        interface Shown {
            void show(String text);
        }

        private final Shown shown;

        EditText(Shown shown) {
            this.shown = shown;
        }

        void setText(String text) {
            shown.show(text);
        }
    }
}
