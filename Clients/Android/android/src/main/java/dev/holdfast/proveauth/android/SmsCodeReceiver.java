package dev.holdfast.proveauth.android;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.Build;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the code out of the message that the SMS Retriever of Google Play services hands to the app. The app starts the retriever
 * itself ({@code SmsRetriever.getClient(context).startSmsRetriever()}), and gives its hash to the builder ({@code withAppHash}).
 *
 * <pre>
 * SmsCodeReceiver receiver = new SmsCodeReceiver(code -&gt; codeField.setText(code));
 * receiver.register(context);   // and context.unregisterReceiver(receiver) when the step is over
 * </pre>
 */
public final class SmsCodeReceiver extends BroadcastReceiver {
    private static final String ACTION = "com.google.android.gms.auth.api.phone.SMS_RETRIEVED";
    private static final String MESSAGE = "com.google.android.gms.auth.api.phone.EXTRA_SMS_MESSAGE";
    /** Only Play services has it: no other app can send a message to this receiver. */
    private static final String SENDER_PERMISSION = "com.google.android.gms.auth.api.phone.permission.SEND";
    private static final Pattern CODE = Pattern.compile("(?<![0-9A-Za-z+])[0-9]{4,10}(?![0-9A-Za-z])");

    /** Takes the code, on the main thread. */
    public interface Listener {
        void onCode(String code);
    }

    private final Listener listener;

    public SmsCodeReceiver(Listener listener) {
        this.listener = listener;
    }

    public void register(Context context) {
        IntentFilter filter = new IntentFilter(ACTION);
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            context.registerReceiver(this, filter, SENDER_PERMISSION, null, Context.RECEIVER_EXPORTED);
        } else {
            context.registerReceiver(this, filter, SENDER_PERMISSION, null);
        }
    }

    @Override
    public void onReceive(Context context, Intent intent) {
        String message = ACTION.equals(intent.getAction()) ? intent.getStringExtra(MESSAGE) : null;
        Matcher code = CODE.matcher(message == null ? "" : message);
        if (code.find()) {
            listener.onCode(code.group());
        }
    }
}
