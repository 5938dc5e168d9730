package app;

import static app.App.promptForOtpCode;
import static app.App.promptForResend;

import androidx.annotation.Nullable;
// GUIDE java/otp-finish-resend
