/** Names of settings as people read them. A field without a row is named by its key. */
const LABELS: Readonly<Record<string, string>> = {
  app_id: 'Project ID',
  add: 'Digits to put in front',
  auto_accept: 'Answer without asking',
  calls_per_second: 'New calls per second',
  cli_policy: 'Numbers that may be shown',
  failover_on: 'Try the next gateway on',
  from_domain: 'Domain of the caller',
  from_user: 'User of the caller',
  gateways: 'Gateways',
  greeting_heard: 'When the greeting is heard',
  identity: 'Header with the caller',
  input: 'Input of the flow',
  keepalive: 'Check gateways every',
  max_calls: 'Maximum simultaneous calls',
  name: 'Name',
  outbound_greeting: 'Greeting on outbound calls',
  prefix: 'Numbers that begin with',
  register: 'Register with the carrier',
  registrations: 'Phone',
  route_id: 'Name of the route',
  srtp: 'Encryption of the sound (SRTP)',
  strict_bridge_state: 'Strict states of bridges',
  strip: 'Digits to remove in front',
  try_timeout: 'Wait for a gateway',
  username: 'User name',
  video_webhook: 'Webhook of video rooms',
  webhook: 'Webhook',
  webhook_format: 'Format of webhooks',
};

/** `max_calls` → `Maximum simultaneous calls`, `time_zone` → `Time zone`. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
