/** The bodies of requests: settings. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../../base/core/json.ts';

export type SessionBody = {
  code?: string;
};

export type AdminAdministratorBody = {
  role: 'full' | 'read';
};

export type AdminCommentBody = {
  text: string;
  step?: string;
  field?: string;
};

export type AdminCommentChangeBody = {
  done: boolean;
};

export type AdminDraftBody = {
  text: string;
  base: string;
};

export type AdminForgetBody = {
  names: string[];
  dry_run: boolean;
  vacuum: boolean;
};

export type AdminNumberBody = {
  project?: string;
  flow?: string;
  input?: JsonObject;
  webhook?: string;
  greeting?: string | JsonObject | Json[];
  greeting_heard?: 'before_accept' | 'after_connect';
  outbound_greeting?: string | JsonObject | Json[];
  auto_accept?: boolean;
};

export type AdminProjectChangeBody = {
  name?: string;
  webhook_format?: 'plain' | 'encrypted';
  strict_bridge_state?: boolean;
  cli_policy?: 'own' | 'any';
  video_webhook?: string | null;
  max_calls?: number | null;
  calls_per_second?: number | null;
};

export type AdminProjectCreateBody = {
  name: string;
  app_id?: string;
  webhook_format?: 'plain' | 'encrypted';
  strict_bridge_state?: boolean;
  cli_policy?: 'own' | 'any';
  video_webhook?: string;
  max_calls?: number;
  calls_per_second?: number;
};

export type AdminPromptBody = {
  text: string;
  voice?: 'female' | 'male';
};

export type AdminRehearsalBody = {
  broadcast: JsonObject;
  numbers?: number;
  app_id?: string;
  seed: number;
  at?: string;
  callees?: string;
};

export type AdminRenewalBody = {
  old_valid_for: string;
};

export type AdminResendBody = {
  url_prefix: string;
};

export type AdminRoomMuteBody = {
  muted: boolean;
  source: 'audio' | 'video' | 'screen';
};

export type AdminRouteBody = {
  prefix: string;
  gateways: string[];
  username?: string;
  password?: string;
  transport?: 'udp' | 'tcp' | 'tls';
  headers?: Record<string, string | number | boolean | null>;
  register?: boolean;
  failover_on?: (number | '4xx' | '5xx')[];
  try_timeout?: string;
  calls_per_second?: number;
  max_calls?: number;
  strip?: number;
  add?: string;
  from_domain?: string;
  from_user?: string;
  country?: string;
  identity?: 'pai' | 'ppi' | 'from';
  keepalive?: string;
  srtp?: 'off' | 'optional' | 'required';
};

export type AdminScheduleBody = {
  timezone?: string;
  open: ({
    days?: string | string[];
    from: string;
    to: string;
  })[];
  holidays?: (string | {
    date: string;
    name?: string;
  })[];
};

export type AdminUrlBody = {
  url: string;
};

export type AdminUserBody = {
  password?: string;
  project?: string;
  srtp?: 'off' | 'optional' | 'required';
};
