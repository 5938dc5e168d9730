package app;

import static app.App.promptForOtpCode;
import static app.App.promptForPhoneNumberChange;

import androidx.annotation.Nullable;
// GUIDE java/otp-finish-phone-change
