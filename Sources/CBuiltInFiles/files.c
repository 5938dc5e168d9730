#include "CBuiltInFiles.h"

// The directive is of C23; Swift's clang has it in every mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char sdk_holdfast_js[] = {
#embed "sdk/holdfast.js"
};
static const unsigned char sdk_holdfast_js_gz[] = {
#embed "sdk/holdfast.js.gz"
};
static const unsigned char sdk_holdfast_global_js[] = {
#embed "sdk/holdfast.global.js"
};
static const unsigned char sdk_holdfast_global_js_gz[] = {
#embed "sdk/holdfast.global.js.gz"
};
static const unsigned char sdk_holdfast_d_ts[] = {
#embed "sdk/holdfast.d.ts"
};
static const unsigned char sdk_holdfast_d_ts_gz[] = {
#embed "sdk/holdfast.d.ts.gz"
};
static const unsigned char demo_backend_js[] = {
#embed "demo/backend.js"
};
static const unsigned char demo_choice_js[] = {
#embed "demo/choice.js"
};
static const unsigned char demo_code_js[] = {
#embed "demo/code.js"
};
static const unsigned char demo_demo_css[] = {
#embed "demo/demo.css"
};
static const unsigned char demo_demo_html[] = {
#embed "demo/demo.html"
};
static const unsigned char demo_demo_js[] = {
#embed "demo/demo.js"
};
static const unsigned char demo_dom_js[] = {
#embed "demo/dom.js"
};
static const unsigned char demo_events_js[] = {
#embed "demo/events.js"
};
static const unsigned char demo_journal_js[] = {
#embed "demo/journal.js"
};
static const unsigned char demo_phone_js[] = {
#embed "demo/phone.js"
};
static const unsigned char demo_recorder_js[] = {
#embed "demo/recorder.js"
};
static const unsigned char demo_run_js[] = {
#embed "demo/run.js"
};
static const unsigned char demo_shop_js[] = {
#embed "demo/shop.js"
};
static const unsigned char demo_snippets_js[] = {
#embed "demo/snippets.js"
};
static const unsigned char config_sandbox_json[] = {
#embed "../../config/sandbox.json"
};
static const unsigned char config_sandbox_users_json[] = {
#embed "../../config/sandbox-users.json"
};
static const unsigned char config_texts_json[] = {
#embed "../../config/texts.json"
};
static const unsigned char config_gateways_hook_json[] = {
#embed "../../config/gateways/hook.json"
};
static const unsigned char config_gateways_infobip_json[] = {
#embed "../../config/gateways/infobip.json"
};
static const unsigned char config_gateways_jasmin_json[] = {
#embed "../../config/gateways/jasmin.json"
};
static const unsigned char config_gateways_kannel_json[] = {
#embed "../../config/gateways/kannel.json"
};
static const unsigned char config_gateways_messagebird_json[] = {
#embed "../../config/gateways/messagebird.json"
};
static const unsigned char config_gateways_plivo_json[] = {
#embed "../../config/gateways/plivo.json"
};
static const unsigned char config_gateways_sinch_json[] = {
#embed "../../config/gateways/sinch.json"
};
static const unsigned char config_gateways_smtp_json[] = {
#embed "../../config/gateways/smtp.json"
};
static const unsigned char config_gateways_telnyx_json[] = {
#embed "../../config/gateways/telnyx.json"
};
static const unsigned char config_gateways_twilio_voice_json[] = {
#embed "../../config/gateways/twilio-voice.json"
};
static const unsigned char config_gateways_twilio_whatsapp_json[] = {
#embed "../../config/gateways/twilio-whatsapp.json"
};
static const unsigned char config_gateways_twilio_json[] = {
#embed "../../config/gateways/twilio.json"
};
static const unsigned char config_gateways_vonage_json[] = {
#embed "../../config/gateways/vonage.json"
};
static const unsigned char migrations_0001_sessions_sql[] = {
#embed "../../migrations/0001_sessions.sql"
};
static const unsigned char migrations_0002_tenants_sql[] = {
#embed "../../migrations/0002_tenants.sql"
};
static const unsigned char migrations_0003_people_sql[] = {
#embed "../../migrations/0003_people.sql"
};
static const unsigned char migrations_0004_limits_sql[] = {
#embed "../../migrations/0004_limits.sql"
};
static const unsigned char migrations_0005_server_sql[] = {
#embed "../../migrations/0005_server.sql"
};
static const unsigned char migrations_0006_receipts_sql[] = {
#embed "../../migrations/0006_receipts.sql"
};
static const unsigned char migrations_0007_guard_sql[] = {
#embed "../../migrations/0007_guard.sql"
};
static const unsigned char migrations_0008_locales_sql[] = {
#embed "../../migrations/0008_locales.sql"
};
static const unsigned char migrations_0009_test_numbers_sql[] = {
#embed "../../migrations/0009_test_numbers.sql"
};
static const unsigned char migrations_0010_webhooks_sql[] = {
#embed "../../migrations/0010_webhooks.sql"
};
static const unsigned char migrations_0011_keysets_sql[] = {
#embed "../../migrations/0011_keysets.sql"
};
static const unsigned char migrations_0012_audit_sql[] = {
#embed "../../migrations/0012_audit.sql"
};
static const unsigned char migrations_0013_next_route_sql[] = {
#embed "../../migrations/0013_next_route.sql"
};
static const unsigned char migrations_0014_sessions_by_product_sql[] = {
#embed "../../migrations/0014_sessions_by_product.sql"
};
static const unsigned char migrations_0015_webhook_sequences_sql[] = {
#embed "../../migrations/0015_webhook_sequences.sql"
};
static const unsigned char migrations_0016_lists_of_tenants_sql[] = {
#embed "../../migrations/0016_lists_of_tenants.sql"
};
static const unsigned char migrations_0017_client_keys_sql[] = {
#embed "../../migrations/0017_client_keys.sql"
};
static const unsigned char migrations_0018_api_keys_sql[] = {
#embed "../../migrations/0018_api_keys.sql"
};
static const unsigned char migrations_0019_message_channel_sql[] = {
#embed "../../migrations/0019_message_channel.sql"
};
static const unsigned char migrations_0020_session_keys_sql[] = {
#embed "../../migrations/0020_session_keys.sql"
};
static const unsigned char migrations_0021_clock_reading_sql[] = {
#embed "../../migrations/0021_clock_reading.sql"
};
static const unsigned char migrations_0022_unanswered_sql[] = {
#embed "../../migrations/0022_unanswered.sql"
};
static const unsigned char migrations_0023_webhook_stores_sql[] = {
#embed "../../migrations/0023_webhook_stores.sql"
};
static const unsigned char migrations_0024_client_codes_and_audiences_sql[] = {
#embed "../../migrations/0024_client_codes_and_audiences.sql"
};
static const unsigned char migrations_0025_client_limits_sql[] = {
#embed "../../migrations/0025_client_limits.sql"
};
static const unsigned char migrations_0026_smart_channels_sql[] = {
#embed "../../migrations/0026_smart_channels.sql"
};
static const unsigned char migrations_0027_application_keys_sql[] = {
#embed "../../migrations/0027_application_keys.sql"
};
static const unsigned char migrations_0028_activations_sql[] = {
#embed "../../migrations/0028_activations.sql"
};
static const unsigned char migrations_0029_device_tokens_sql[] = {
#embed "../../migrations/0029_device_tokens.sql"
};
static const unsigned char migrations_0030_credentials_sql[] = {
#embed "../../migrations/0030_credentials.sql"
};
static const unsigned char migrations_0031_receipts_due_sql[] = {
#embed "../../migrations/0031_receipts_due.sql"
};
static const unsigned char migrations_0032_proven_identities_sql[] = {
#embed "../../migrations/0032_proven_identities.sql"
};
static const unsigned char migrations_0033_temporary_secrets_sql[] = {
#embed "../../migrations/0033_temporary_secrets.sql"
};
static const unsigned char migrations_0034_refused_starts_sql[] = {
#embed "../../migrations/0034_refused_starts.sql"
};
static const unsigned char migrations_0035_brands_sql[] = {
#embed "../../migrations/0035_brands.sql"
};
// `make build` writes the commit; a build by hand has none.
static const unsigned char build_commit[] = {
#if __has_embed("../../.build-run/commit") == __STDC_EMBED_FOUND__
#embed "../../.build-run/commit" suffix(, 0)
#else
    0
#endif
};

static const cbuiltinfiles_file files[] = {
    {"sdk/holdfast.js", sdk_holdfast_js, sizeof sdk_holdfast_js,
     sdk_holdfast_js_gz, sizeof sdk_holdfast_js_gz},
    {"sdk/holdfast.global.js", sdk_holdfast_global_js, sizeof sdk_holdfast_global_js,
     sdk_holdfast_global_js_gz, sizeof sdk_holdfast_global_js_gz},
    {"sdk/holdfast.d.ts", sdk_holdfast_d_ts, sizeof sdk_holdfast_d_ts,
     sdk_holdfast_d_ts_gz, sizeof sdk_holdfast_d_ts_gz},
    {"demo/backend.js", demo_backend_js, sizeof demo_backend_js, NULL, 0},
    {"demo/choice.js", demo_choice_js, sizeof demo_choice_js, NULL, 0},
    {"demo/code.js", demo_code_js, sizeof demo_code_js, NULL, 0},
    {"demo/demo.css", demo_demo_css, sizeof demo_demo_css, NULL, 0},
    {"demo/demo.html", demo_demo_html, sizeof demo_demo_html, NULL, 0},
    {"demo/demo.js", demo_demo_js, sizeof demo_demo_js, NULL, 0},
    {"demo/dom.js", demo_dom_js, sizeof demo_dom_js, NULL, 0},
    {"demo/events.js", demo_events_js, sizeof demo_events_js, NULL, 0},
    {"demo/journal.js", demo_journal_js, sizeof demo_journal_js, NULL, 0},
    {"demo/phone.js", demo_phone_js, sizeof demo_phone_js, NULL, 0},
    {"demo/recorder.js", demo_recorder_js, sizeof demo_recorder_js, NULL, 0},
    {"demo/run.js", demo_run_js, sizeof demo_run_js, NULL, 0},
    {"demo/shop.js", demo_shop_js, sizeof demo_shop_js, NULL, 0},
    {"demo/snippets.js", demo_snippets_js, sizeof demo_snippets_js, NULL, 0},
    {"config/sandbox.json", config_sandbox_json, sizeof config_sandbox_json, NULL, 0},
    {"config/sandbox-users.json", config_sandbox_users_json, sizeof config_sandbox_users_json, NULL, 0},
    {"config/texts.json", config_texts_json, sizeof config_texts_json, NULL, 0},
    {"config/gateways/hook.json", config_gateways_hook_json, sizeof config_gateways_hook_json, NULL, 0},
    {"config/gateways/infobip.json", config_gateways_infobip_json, sizeof config_gateways_infobip_json, NULL, 0},
    {"config/gateways/jasmin.json", config_gateways_jasmin_json, sizeof config_gateways_jasmin_json, NULL, 0},
    {"config/gateways/kannel.json", config_gateways_kannel_json, sizeof config_gateways_kannel_json, NULL, 0},
    {"config/gateways/messagebird.json", config_gateways_messagebird_json, sizeof config_gateways_messagebird_json, NULL, 0},
    {"config/gateways/plivo.json", config_gateways_plivo_json, sizeof config_gateways_plivo_json, NULL, 0},
    {"config/gateways/sinch.json", config_gateways_sinch_json, sizeof config_gateways_sinch_json, NULL, 0},
    {"config/gateways/smtp.json", config_gateways_smtp_json, sizeof config_gateways_smtp_json, NULL, 0},
    {"config/gateways/telnyx.json", config_gateways_telnyx_json, sizeof config_gateways_telnyx_json, NULL, 0},
    {"config/gateways/twilio-voice.json", config_gateways_twilio_voice_json, sizeof config_gateways_twilio_voice_json, NULL, 0},
    {"config/gateways/twilio-whatsapp.json", config_gateways_twilio_whatsapp_json, sizeof config_gateways_twilio_whatsapp_json, NULL, 0},
    {"config/gateways/twilio.json", config_gateways_twilio_json, sizeof config_gateways_twilio_json, NULL, 0},
    {"config/gateways/vonage.json", config_gateways_vonage_json, sizeof config_gateways_vonage_json, NULL, 0},
    {"migrations/0001_sessions.sql", migrations_0001_sessions_sql, sizeof migrations_0001_sessions_sql, NULL, 0},
    {"migrations/0002_tenants.sql", migrations_0002_tenants_sql, sizeof migrations_0002_tenants_sql, NULL, 0},
    {"migrations/0003_people.sql", migrations_0003_people_sql, sizeof migrations_0003_people_sql, NULL, 0},
    {"migrations/0004_limits.sql", migrations_0004_limits_sql, sizeof migrations_0004_limits_sql, NULL, 0},
    {"migrations/0005_server.sql", migrations_0005_server_sql, sizeof migrations_0005_server_sql, NULL, 0},
    {"migrations/0006_receipts.sql", migrations_0006_receipts_sql, sizeof migrations_0006_receipts_sql, NULL, 0},
    {"migrations/0007_guard.sql", migrations_0007_guard_sql, sizeof migrations_0007_guard_sql, NULL, 0},
    {"migrations/0008_locales.sql", migrations_0008_locales_sql, sizeof migrations_0008_locales_sql, NULL, 0},
    {"migrations/0009_test_numbers.sql", migrations_0009_test_numbers_sql, sizeof migrations_0009_test_numbers_sql, NULL, 0},
    {"migrations/0010_webhooks.sql", migrations_0010_webhooks_sql, sizeof migrations_0010_webhooks_sql, NULL, 0},
    {"migrations/0011_keysets.sql", migrations_0011_keysets_sql, sizeof migrations_0011_keysets_sql, NULL, 0},
    {"migrations/0012_audit.sql", migrations_0012_audit_sql, sizeof migrations_0012_audit_sql, NULL, 0},
    {"migrations/0013_next_route.sql", migrations_0013_next_route_sql, sizeof migrations_0013_next_route_sql, NULL, 0},
    {"migrations/0014_sessions_by_product.sql", migrations_0014_sessions_by_product_sql, sizeof migrations_0014_sessions_by_product_sql, NULL, 0},
    {"migrations/0015_webhook_sequences.sql", migrations_0015_webhook_sequences_sql, sizeof migrations_0015_webhook_sequences_sql, NULL, 0},
    {"migrations/0016_lists_of_tenants.sql", migrations_0016_lists_of_tenants_sql, sizeof migrations_0016_lists_of_tenants_sql, NULL, 0},
    {"migrations/0017_client_keys.sql", migrations_0017_client_keys_sql, sizeof migrations_0017_client_keys_sql, NULL, 0},
    {"migrations/0018_api_keys.sql", migrations_0018_api_keys_sql, sizeof migrations_0018_api_keys_sql, NULL, 0},
    {"migrations/0019_message_channel.sql", migrations_0019_message_channel_sql, sizeof migrations_0019_message_channel_sql, NULL, 0},
    {"migrations/0020_session_keys.sql", migrations_0020_session_keys_sql, sizeof migrations_0020_session_keys_sql, NULL, 0},
    {"migrations/0021_clock_reading.sql", migrations_0021_clock_reading_sql, sizeof migrations_0021_clock_reading_sql, NULL, 0},
    {"migrations/0022_unanswered.sql", migrations_0022_unanswered_sql, sizeof migrations_0022_unanswered_sql, NULL, 0},
    {"migrations/0023_webhook_stores.sql", migrations_0023_webhook_stores_sql, sizeof migrations_0023_webhook_stores_sql, NULL, 0},
    {"migrations/0024_client_codes_and_audiences.sql", migrations_0024_client_codes_and_audiences_sql, sizeof migrations_0024_client_codes_and_audiences_sql, NULL, 0},
    {"migrations/0025_client_limits.sql", migrations_0025_client_limits_sql, sizeof migrations_0025_client_limits_sql, NULL, 0},
    {"migrations/0026_smart_channels.sql", migrations_0026_smart_channels_sql, sizeof migrations_0026_smart_channels_sql, NULL, 0},
    {"migrations/0027_application_keys.sql", migrations_0027_application_keys_sql, sizeof migrations_0027_application_keys_sql, NULL, 0},
    {"migrations/0028_activations.sql", migrations_0028_activations_sql, sizeof migrations_0028_activations_sql, NULL, 0},
    {"migrations/0029_device_tokens.sql", migrations_0029_device_tokens_sql, sizeof migrations_0029_device_tokens_sql, NULL, 0},
    {"migrations/0030_credentials.sql", migrations_0030_credentials_sql, sizeof migrations_0030_credentials_sql, NULL, 0},
    {"migrations/0031_receipts_due.sql", migrations_0031_receipts_due_sql, sizeof migrations_0031_receipts_due_sql, NULL, 0},
    {"migrations/0032_proven_identities.sql", migrations_0032_proven_identities_sql, sizeof migrations_0032_proven_identities_sql, NULL, 0},
    {"migrations/0033_temporary_secrets.sql", migrations_0033_temporary_secrets_sql, sizeof migrations_0033_temporary_secrets_sql, NULL, 0},
    {"migrations/0034_refused_starts.sql", migrations_0034_refused_starts_sql, sizeof migrations_0034_refused_starts_sql, NULL, 0},
    {"migrations/0035_brands.sql", migrations_0035_brands_sql, sizeof migrations_0035_brands_sql, NULL, 0},
    {"build/commit", build_commit, sizeof build_commit - 1, NULL, 0},
};

const cbuiltinfiles_file *cbuiltinfiles_at(int index) {
    return index >= 0 && index < (int)(sizeof files / sizeof files[0]) ? &files[index] : NULL;
}
