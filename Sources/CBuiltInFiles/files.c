// Written by scripts/list-built-in-files.
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
static const unsigned char site_NOTICE_md[] = {
#embed "site/NOTICE.md"
};
static const unsigned char site_lunr_js[] = {
#embed "site/lunr.js"
};
static const unsigned char site_search_js[] = {
#embed "site/search.js"
};
static const unsigned char site_site_css[] = {
#embed "site/site.css"
};
static const unsigned char site_site_js[] = {
#embed "site/site.js"
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
static const unsigned char description_recorded_answers_json[] = {
#embed "description/recorded-answers.json"
};
static const unsigned char texts_link_pages_json[] = {
#embed "texts/link-pages.json"
};
static const unsigned char config_sandbox_users_json[] = {
#embed "../../config/sandbox-users.json"
};
static const unsigned char config_sandbox_json[] = {
#embed "../../config/sandbox.json"
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
static const unsigned char migrations_postgresql_0001_schema_sql[] = {
#embed "../../migrations/postgresql/0001_schema.sql"
};
static const unsigned char migrations_postgresql_0002_servers_sql[] = {
#embed "../../migrations/postgresql/0002_servers.sql"
};
static const unsigned char migrations_postgresql_0003_erasures_sql[] = {
#embed "../../migrations/postgresql/0003_erasures.sql"
};
static const unsigned char migrations_postgresql_0004_used_names_sql[] = {
#embed "../../migrations/postgresql/0004_used_names.sql"
};
static const unsigned char migrations_postgresql_0005_record_levels_sql[] = {
#embed "../../migrations/postgresql/0005_record_levels.sql"
};
static const unsigned char docs_architecture_changes_md[] = {
#embed "../../docs/architecture/changes.md"
};
static const unsigned char docs_architecture_request_md[] = {
#embed "../../docs/architecture/request.md"
};
static const unsigned char docs_architecture_md[] = {
#embed "../../docs/architecture.md"
};
static const unsigned char docs_benchmarks_md[] = {
#embed "../../docs/benchmarks.md"
};
static const unsigned char docs_camara_md[] = {
#embed "../../docs/camara.md"
};
static const unsigned char docs_clients_libraries_md[] = {
#embed "../../docs/clients/libraries.md"
};
static const unsigned char docs_clients_pages_md[] = {
#embed "../../docs/clients/pages.md"
};
static const unsigned char docs_clients_protocol_md[] = {
#embed "../../docs/clients/protocol.md"
};
static const unsigned char docs_clients_statements_md[] = {
#embed "../../docs/clients/statements.md"
};
static const unsigned char docs_clients_md[] = {
#embed "../../docs/clients.md"
};
static const unsigned char docs_concepts_md[] = {
#embed "../../docs/concepts.md"
};
static const unsigned char docs_configuration_identity_service_md[] = {
#embed "../../docs/configuration/identity-service.md"
};
static const unsigned char docs_configuration_limits_md[] = {
#embed "../../docs/configuration/limits.md"
};
static const unsigned char docs_configuration_messages_md[] = {
#embed "../../docs/configuration/messages.md"
};
static const unsigned char docs_configuration_sandbox_md[] = {
#embed "../../docs/configuration/sandbox.md"
};
static const unsigned char docs_configuration_server_md[] = {
#embed "../../docs/configuration/server.md"
};
static const unsigned char docs_configuration_services_md[] = {
#embed "../../docs/configuration/services.md"
};
static const unsigned char docs_configuration_md[] = {
#embed "../../docs/configuration.md"
};
static const unsigned char docs_data_md[] = {
#embed "../../docs/data.md"
};
static const unsigned char docs_deploy_md[] = {
#embed "../../docs/deploy.md"
};
static const unsigned char docs_development_md[] = {
#embed "../../docs/development.md"
};
static const unsigned char docs_errors_camara_md[] = {
#embed "../../docs/errors/camara.md"
};
static const unsigned char docs_errors_client_protocol_md[] = {
#embed "../../docs/errors/client-protocol.md"
};
static const unsigned char docs_errors_onboarding_md[] = {
#embed "../../docs/errors/onboarding.md"
};
static const unsigned char docs_errors_otpless_md[] = {
#embed "../../docs/errors/otpless.md"
};
static const unsigned char docs_errors_prelude_md[] = {
#embed "../../docs/errors/prelude.md"
};
static const unsigned char docs_errors_prove_md[] = {
#embed "../../docs/errors/prove.md"
};
static const unsigned char docs_errors_sms_hooks_md[] = {
#embed "../../docs/errors/sms-hooks.md"
};
static const unsigned char docs_errors_twilio_verify_md[] = {
#embed "../../docs/errors/twilio-verify.md"
};
static const unsigned char docs_errors_md[] = {
#embed "../../docs/errors.md"
};
static const unsigned char docs_gateways_delivery_md[] = {
#embed "../../docs/gateways/delivery.md"
};
static const unsigned char docs_gateways_providers_md[] = {
#embed "../../docs/gateways/providers.md"
};
static const unsigned char docs_gateways_spend_guard_md[] = {
#embed "../../docs/gateways/spend-guard.md"
};
static const unsigned char docs_gateways_md[] = {
#embed "../../docs/gateways.md"
};
static const unsigned char docs_limits_budgets_md[] = {
#embed "../../docs/limits/budgets.md"
};
static const unsigned char docs_limits_calls_md[] = {
#embed "../../docs/limits/calls.md"
};
static const unsigned char docs_limits_unanswered_md[] = {
#embed "../../docs/limits/unanswered.md"
};
static const unsigned char docs_limits_md[] = {
#embed "../../docs/limits.md"
};
static const unsigned char docs_messages_test_numbers_md[] = {
#embed "../../docs/messages/test-numbers.md"
};
static const unsigned char docs_messages_md[] = {
#embed "../../docs/messages.md"
};
static const unsigned char docs_onboarding_activations_md[] = {
#embed "../../docs/onboarding/activations.md"
};
static const unsigned char docs_onboarding_people_md[] = {
#embed "../../docs/onboarding/people.md"
};
static const unsigned char docs_onboarding_signatures_md[] = {
#embed "../../docs/onboarding/signatures.md"
};
static const unsigned char docs_onboarding_md[] = {
#embed "../../docs/onboarding.md"
};
static const unsigned char docs_operate_api_clients_md[] = {
#embed "../../docs/operate/api-clients.md"
};
static const unsigned char docs_operate_backup_md[] = {
#embed "../../docs/operate/backup.md"
};
static const unsigned char docs_operate_commands_md[] = {
#embed "../../docs/operate/commands.md"
};
static const unsigned char docs_operate_damage_md[] = {
#embed "../../docs/operate/damage.md"
};
static const unsigned char docs_operate_faults_md[] = {
#embed "../../docs/operate/faults.md"
};
static const unsigned char docs_operate_first_day_md[] = {
#embed "../../docs/operate/first-day.md"
};
static const unsigned char docs_operate_keys_md[] = {
#embed "../../docs/operate/keys.md"
};
static const unsigned char docs_operate_logs_md[] = {
#embed "../../docs/operate/logs.md"
};
static const unsigned char docs_operate_metrics_md[] = {
#embed "../../docs/operate/metrics.md"
};
static const unsigned char docs_operate_monitoring_md[] = {
#embed "../../docs/operate/monitoring.md"
};
static const unsigned char docs_operate_overload_md[] = {
#embed "../../docs/operate/overload.md"
};
static const unsigned char docs_operate_postgresql_md[] = {
#embed "../../docs/operate/postgresql.md"
};
static const unsigned char docs_operate_scale_md[] = {
#embed "../../docs/operate/scale.md"
};
static const unsigned char docs_operate_three_machines_md[] = {
#embed "../../docs/operate/three-machines.md"
};
static const unsigned char docs_operate_tls_md[] = {
#embed "../../docs/operate/tls.md"
};
static const unsigned char docs_operate_upgrade_md[] = {
#embed "../../docs/operate/upgrade.md"
};
static const unsigned char docs_operate_md[] = {
#embed "../../docs/operate.md"
};
static const unsigned char docs_operators_md[] = {
#embed "../../docs/operators.md"
};
static const unsigned char docs_otpless_apps_md[] = {
#embed "../../docs/otpless/apps.md"
};
static const unsigned char docs_otpless_links_md[] = {
#embed "../../docs/otpless/links.md"
};
static const unsigned char docs_otpless_silent_md[] = {
#embed "../../docs/otpless/silent.md"
};
static const unsigned char docs_otpless_tokens_md[] = {
#embed "../../docs/otpless/tokens.md"
};
static const unsigned char docs_otpless_webhooks_md[] = {
#embed "../../docs/otpless/webhooks.md"
};
static const unsigned char docs_otpless_md[] = {
#embed "../../docs/otpless.md"
};
static const unsigned char docs_prelude_calls_md[] = {
#embed "../../docs/prelude/calls.md"
};
static const unsigned char docs_prelude_silent_md[] = {
#embed "../../docs/prelude/silent.md"
};
static const unsigned char docs_prelude_webhooks_md[] = {
#embed "../../docs/prelude/webhooks.md"
};
static const unsigned char docs_prelude_md[] = {
#embed "../../docs/prelude.md"
};
static const unsigned char docs_sandbox_users_md[] = {
#embed "../../docs/sandbox/users.md"
};
static const unsigned char docs_sandbox_md[] = {
#embed "../../docs/sandbox.md"
};
static const unsigned char docs_security_bounded_work_md[] = {
#embed "../../docs/security/bounded-work.md"
};
static const unsigned char docs_security_relayed_links_md[] = {
#embed "../../docs/security/relayed-links.md"
};
static const unsigned char docs_security_requirements_md[] = {
#embed "../../docs/security/requirements.md"
};
static const unsigned char docs_security_threats_md[] = {
#embed "../../docs/security/threats.md"
};
static const unsigned char docs_security_md[] = {
#embed "../../docs/security.md"
};
static const unsigned char docs_sms_hooks_others_md[] = {
#embed "../../docs/sms-hooks/others.md"
};
static const unsigned char docs_sms_hooks_servers_md[] = {
#embed "../../docs/sms-hooks/servers.md"
};
static const unsigned char docs_sms_hooks_md[] = {
#embed "../../docs/sms-hooks.md"
};
static const unsigned char docs_testing_md[] = {
#embed "../../docs/testing.md"
};
static const unsigned char docs_twilio_verify_services_md[] = {
#embed "../../docs/twilio-verify/services.md"
};
static const unsigned char docs_twilio_verify_md[] = {
#embed "../../docs/twilio-verify.md"
};
static const unsigned char docs_vendors_md[] = {
#embed "../../docs/vendors.md"
};
static const unsigned char docs_webhooks_events_md[] = {
#embed "../../docs/webhooks/events.md"
};
static const unsigned char docs_webhooks_network_md[] = {
#embed "../../docs/webhooks/network.md"
};
static const unsigned char docs_webhooks_md[] = {
#embed "../../docs/webhooks.md"
};
static const unsigned char docs_pictures_verification_dark_svg[] = {
#embed "../../docs/pictures/verification-dark.svg"
};
static const unsigned char docs_pictures_verification_light_svg[] = {
#embed "../../docs/pictures/verification-light.svg"
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
    {"sdk/holdfast.js", sdk_holdfast_js, sizeof sdk_holdfast_js, sdk_holdfast_js_gz, sizeof sdk_holdfast_js_gz},
    {"sdk/holdfast.global.js", sdk_holdfast_global_js, sizeof sdk_holdfast_global_js, sdk_holdfast_global_js_gz, sizeof sdk_holdfast_global_js_gz},
    {"sdk/holdfast.d.ts", sdk_holdfast_d_ts, sizeof sdk_holdfast_d_ts, sdk_holdfast_d_ts_gz, sizeof sdk_holdfast_d_ts_gz},
    {"site/NOTICE.md", site_NOTICE_md, sizeof site_NOTICE_md, NULL, 0},
    {"site/lunr.js", site_lunr_js, sizeof site_lunr_js, NULL, 0},
    {"site/search.js", site_search_js, sizeof site_search_js, NULL, 0},
    {"site/site.css", site_site_css, sizeof site_site_css, NULL, 0},
    {"site/site.js", site_site_js, sizeof site_site_js, NULL, 0},
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
    {"description/recorded-answers.json", description_recorded_answers_json, sizeof description_recorded_answers_json, NULL, 0},
    {"texts/link-pages.json", texts_link_pages_json, sizeof texts_link_pages_json, NULL, 0},
    {"config/sandbox-users.json", config_sandbox_users_json, sizeof config_sandbox_users_json, NULL, 0},
    {"config/sandbox.json", config_sandbox_json, sizeof config_sandbox_json, NULL, 0},
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
    {"migrations/postgresql/0001_schema.sql", migrations_postgresql_0001_schema_sql, sizeof migrations_postgresql_0001_schema_sql, NULL, 0},
    {"migrations/postgresql/0002_servers.sql", migrations_postgresql_0002_servers_sql, sizeof migrations_postgresql_0002_servers_sql, NULL, 0},
    {"migrations/postgresql/0003_erasures.sql", migrations_postgresql_0003_erasures_sql, sizeof migrations_postgresql_0003_erasures_sql, NULL, 0},
    {"migrations/postgresql/0004_used_names.sql", migrations_postgresql_0004_used_names_sql, sizeof migrations_postgresql_0004_used_names_sql, NULL, 0},
    {"migrations/postgresql/0005_record_levels.sql", migrations_postgresql_0005_record_levels_sql, sizeof migrations_postgresql_0005_record_levels_sql, NULL, 0},
    {"docs/architecture/changes.md", docs_architecture_changes_md, sizeof docs_architecture_changes_md, NULL, 0},
    {"docs/architecture/request.md", docs_architecture_request_md, sizeof docs_architecture_request_md, NULL, 0},
    {"docs/architecture.md", docs_architecture_md, sizeof docs_architecture_md, NULL, 0},
    {"docs/benchmarks.md", docs_benchmarks_md, sizeof docs_benchmarks_md, NULL, 0},
    {"docs/camara.md", docs_camara_md, sizeof docs_camara_md, NULL, 0},
    {"docs/clients/libraries.md", docs_clients_libraries_md, sizeof docs_clients_libraries_md, NULL, 0},
    {"docs/clients/pages.md", docs_clients_pages_md, sizeof docs_clients_pages_md, NULL, 0},
    {"docs/clients/protocol.md", docs_clients_protocol_md, sizeof docs_clients_protocol_md, NULL, 0},
    {"docs/clients/statements.md", docs_clients_statements_md, sizeof docs_clients_statements_md, NULL, 0},
    {"docs/clients.md", docs_clients_md, sizeof docs_clients_md, NULL, 0},
    {"docs/concepts.md", docs_concepts_md, sizeof docs_concepts_md, NULL, 0},
    {"docs/configuration/identity-service.md", docs_configuration_identity_service_md, sizeof docs_configuration_identity_service_md, NULL, 0},
    {"docs/configuration/limits.md", docs_configuration_limits_md, sizeof docs_configuration_limits_md, NULL, 0},
    {"docs/configuration/messages.md", docs_configuration_messages_md, sizeof docs_configuration_messages_md, NULL, 0},
    {"docs/configuration/sandbox.md", docs_configuration_sandbox_md, sizeof docs_configuration_sandbox_md, NULL, 0},
    {"docs/configuration/server.md", docs_configuration_server_md, sizeof docs_configuration_server_md, NULL, 0},
    {"docs/configuration/services.md", docs_configuration_services_md, sizeof docs_configuration_services_md, NULL, 0},
    {"docs/configuration.md", docs_configuration_md, sizeof docs_configuration_md, NULL, 0},
    {"docs/data.md", docs_data_md, sizeof docs_data_md, NULL, 0},
    {"docs/deploy.md", docs_deploy_md, sizeof docs_deploy_md, NULL, 0},
    {"docs/development.md", docs_development_md, sizeof docs_development_md, NULL, 0},
    {"docs/errors/camara.md", docs_errors_camara_md, sizeof docs_errors_camara_md, NULL, 0},
    {"docs/errors/client-protocol.md", docs_errors_client_protocol_md, sizeof docs_errors_client_protocol_md, NULL, 0},
    {"docs/errors/onboarding.md", docs_errors_onboarding_md, sizeof docs_errors_onboarding_md, NULL, 0},
    {"docs/errors/otpless.md", docs_errors_otpless_md, sizeof docs_errors_otpless_md, NULL, 0},
    {"docs/errors/prelude.md", docs_errors_prelude_md, sizeof docs_errors_prelude_md, NULL, 0},
    {"docs/errors/prove.md", docs_errors_prove_md, sizeof docs_errors_prove_md, NULL, 0},
    {"docs/errors/sms-hooks.md", docs_errors_sms_hooks_md, sizeof docs_errors_sms_hooks_md, NULL, 0},
    {"docs/errors/twilio-verify.md", docs_errors_twilio_verify_md, sizeof docs_errors_twilio_verify_md, NULL, 0},
    {"docs/errors.md", docs_errors_md, sizeof docs_errors_md, NULL, 0},
    {"docs/gateways/delivery.md", docs_gateways_delivery_md, sizeof docs_gateways_delivery_md, NULL, 0},
    {"docs/gateways/providers.md", docs_gateways_providers_md, sizeof docs_gateways_providers_md, NULL, 0},
    {"docs/gateways/spend-guard.md", docs_gateways_spend_guard_md, sizeof docs_gateways_spend_guard_md, NULL, 0},
    {"docs/gateways.md", docs_gateways_md, sizeof docs_gateways_md, NULL, 0},
    {"docs/limits/budgets.md", docs_limits_budgets_md, sizeof docs_limits_budgets_md, NULL, 0},
    {"docs/limits/calls.md", docs_limits_calls_md, sizeof docs_limits_calls_md, NULL, 0},
    {"docs/limits/unanswered.md", docs_limits_unanswered_md, sizeof docs_limits_unanswered_md, NULL, 0},
    {"docs/limits.md", docs_limits_md, sizeof docs_limits_md, NULL, 0},
    {"docs/messages/test-numbers.md", docs_messages_test_numbers_md, sizeof docs_messages_test_numbers_md, NULL, 0},
    {"docs/messages.md", docs_messages_md, sizeof docs_messages_md, NULL, 0},
    {"docs/onboarding/activations.md", docs_onboarding_activations_md, sizeof docs_onboarding_activations_md, NULL, 0},
    {"docs/onboarding/people.md", docs_onboarding_people_md, sizeof docs_onboarding_people_md, NULL, 0},
    {"docs/onboarding/signatures.md", docs_onboarding_signatures_md, sizeof docs_onboarding_signatures_md, NULL, 0},
    {"docs/onboarding.md", docs_onboarding_md, sizeof docs_onboarding_md, NULL, 0},
    {"docs/operate/api-clients.md", docs_operate_api_clients_md, sizeof docs_operate_api_clients_md, NULL, 0},
    {"docs/operate/backup.md", docs_operate_backup_md, sizeof docs_operate_backup_md, NULL, 0},
    {"docs/operate/commands.md", docs_operate_commands_md, sizeof docs_operate_commands_md, NULL, 0},
    {"docs/operate/damage.md", docs_operate_damage_md, sizeof docs_operate_damage_md, NULL, 0},
    {"docs/operate/faults.md", docs_operate_faults_md, sizeof docs_operate_faults_md, NULL, 0},
    {"docs/operate/first-day.md", docs_operate_first_day_md, sizeof docs_operate_first_day_md, NULL, 0},
    {"docs/operate/keys.md", docs_operate_keys_md, sizeof docs_operate_keys_md, NULL, 0},
    {"docs/operate/logs.md", docs_operate_logs_md, sizeof docs_operate_logs_md, NULL, 0},
    {"docs/operate/metrics.md", docs_operate_metrics_md, sizeof docs_operate_metrics_md, NULL, 0},
    {"docs/operate/monitoring.md", docs_operate_monitoring_md, sizeof docs_operate_monitoring_md, NULL, 0},
    {"docs/operate/overload.md", docs_operate_overload_md, sizeof docs_operate_overload_md, NULL, 0},
    {"docs/operate/postgresql.md", docs_operate_postgresql_md, sizeof docs_operate_postgresql_md, NULL, 0},
    {"docs/operate/scale.md", docs_operate_scale_md, sizeof docs_operate_scale_md, NULL, 0},
    {"docs/operate/three-machines.md", docs_operate_three_machines_md, sizeof docs_operate_three_machines_md, NULL, 0},
    {"docs/operate/tls.md", docs_operate_tls_md, sizeof docs_operate_tls_md, NULL, 0},
    {"docs/operate/upgrade.md", docs_operate_upgrade_md, sizeof docs_operate_upgrade_md, NULL, 0},
    {"docs/operate.md", docs_operate_md, sizeof docs_operate_md, NULL, 0},
    {"docs/operators.md", docs_operators_md, sizeof docs_operators_md, NULL, 0},
    {"docs/otpless/apps.md", docs_otpless_apps_md, sizeof docs_otpless_apps_md, NULL, 0},
    {"docs/otpless/links.md", docs_otpless_links_md, sizeof docs_otpless_links_md, NULL, 0},
    {"docs/otpless/silent.md", docs_otpless_silent_md, sizeof docs_otpless_silent_md, NULL, 0},
    {"docs/otpless/tokens.md", docs_otpless_tokens_md, sizeof docs_otpless_tokens_md, NULL, 0},
    {"docs/otpless/webhooks.md", docs_otpless_webhooks_md, sizeof docs_otpless_webhooks_md, NULL, 0},
    {"docs/otpless.md", docs_otpless_md, sizeof docs_otpless_md, NULL, 0},
    {"docs/prelude/calls.md", docs_prelude_calls_md, sizeof docs_prelude_calls_md, NULL, 0},
    {"docs/prelude/silent.md", docs_prelude_silent_md, sizeof docs_prelude_silent_md, NULL, 0},
    {"docs/prelude/webhooks.md", docs_prelude_webhooks_md, sizeof docs_prelude_webhooks_md, NULL, 0},
    {"docs/prelude.md", docs_prelude_md, sizeof docs_prelude_md, NULL, 0},
    {"docs/sandbox/users.md", docs_sandbox_users_md, sizeof docs_sandbox_users_md, NULL, 0},
    {"docs/sandbox.md", docs_sandbox_md, sizeof docs_sandbox_md, NULL, 0},
    {"docs/security/bounded-work.md", docs_security_bounded_work_md, sizeof docs_security_bounded_work_md, NULL, 0},
    {"docs/security/relayed-links.md", docs_security_relayed_links_md, sizeof docs_security_relayed_links_md, NULL, 0},
    {"docs/security/requirements.md", docs_security_requirements_md, sizeof docs_security_requirements_md, NULL, 0},
    {"docs/security/threats.md", docs_security_threats_md, sizeof docs_security_threats_md, NULL, 0},
    {"docs/security.md", docs_security_md, sizeof docs_security_md, NULL, 0},
    {"docs/sms-hooks/others.md", docs_sms_hooks_others_md, sizeof docs_sms_hooks_others_md, NULL, 0},
    {"docs/sms-hooks/servers.md", docs_sms_hooks_servers_md, sizeof docs_sms_hooks_servers_md, NULL, 0},
    {"docs/sms-hooks.md", docs_sms_hooks_md, sizeof docs_sms_hooks_md, NULL, 0},
    {"docs/testing.md", docs_testing_md, sizeof docs_testing_md, NULL, 0},
    {"docs/twilio-verify/services.md", docs_twilio_verify_services_md, sizeof docs_twilio_verify_services_md, NULL, 0},
    {"docs/twilio-verify.md", docs_twilio_verify_md, sizeof docs_twilio_verify_md, NULL, 0},
    {"docs/vendors.md", docs_vendors_md, sizeof docs_vendors_md, NULL, 0},
    {"docs/webhooks/events.md", docs_webhooks_events_md, sizeof docs_webhooks_events_md, NULL, 0},
    {"docs/webhooks/network.md", docs_webhooks_network_md, sizeof docs_webhooks_network_md, NULL, 0},
    {"docs/webhooks.md", docs_webhooks_md, sizeof docs_webhooks_md, NULL, 0},
    {"docs/pictures/verification-dark.svg", docs_pictures_verification_dark_svg, sizeof docs_pictures_verification_dark_svg, NULL, 0},
    {"docs/pictures/verification-light.svg", docs_pictures_verification_light_svg, sizeof docs_pictures_verification_light_svg, NULL, 0},
    {"build/commit", build_commit, sizeof build_commit - 1, NULL, 0},
};

const cbuiltinfiles_file *cbuiltinfiles_at(int index) {
    return index >= 0 && index < (int)(sizeof files / sizeof files[0]) ? &files[index] : NULL;
}
