/** Names of settings as people read them. A field without a row is named by its key. */
import { t } from '../../../shared/web/words/translate.ts';

const LABELS: Readonly<Record<string, string>> = {
  app_id: t('Project ID'),
  add: t('Digits to put in front'),
  auto_accept: t('Answer without asking'),
  calls_per_second: t('New calls per second'),
  cli_policy: t('Numbers that may be shown'),
  failover_on: t('Try the next gateway on'),
  from_domain: t('Domain of the caller'),
  from_user: t('User of the caller'),
  gateways: t('Gateways'),
  greeting_heard: t('When the greeting is heard'),
  identity: t('Header with the caller'),
  input: t('Input of the flow'),
  keepalive: t('Check gateways every'),
  max_calls: t('Maximum simultaneous calls'),
  name: t('Name'),
  outbound_greeting: t('Greeting on outbound calls'),
  prefix: t('Numbers that begin with'),
  register: t('Register with the carrier'),
  registrations: t('Phone'),
  route_id: t('Name of the route'),
  srtp: t('Encryption of the sound (SRTP)'),
  strict_bridge_state: t('Strict states of bridges'),
  strip: t('Digits to remove in front'),
  try_timeout: t('Wait for a gateway'),
  username: t('User name'),
  video_webhook: t('Webhook of video rooms'),
  webhook: t('Webhook'),
  webhook_format: t('Format of webhooks'),
};

/** `max_calls` → `Maximum simultaneous calls`, `time_zone` → `Time zone`. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
