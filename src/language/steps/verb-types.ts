/** The arguments and outcomes of verbs. Made of src/verbs by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { NamedOutcome } from './step.ts';

export type AnswerArgs = {
  headers?: Record<string, string | number | boolean | null>;
};

export type AssistantArgs = {
  agent?: string | {
    adapter: 'openai' | 'stream' | 'twilio';
    url: string;
    voice?: string;
    model?: string;
  };
  headers?: Record<string, string>;
  auth?: {
    bearer?: string;
    basic?: {
      username: string;
      password: string;
    };
  };
  instructions: string;
  tools: Record<string, {
    description: string;
    arguments?: Record<string, JsonObject>;
  }>;
  lookups: Record<string, {
    description: string;
    arguments?: Record<string, JsonObject>;
    request: {
      get?: string;
      post?: string;
      headers?: Record<string, string>;
      auth?: {
        bearer?: string;
        basic?: {
          username: string;
          password: string;
        };
      };
      body?: Json;
      timeout?: string;
    };
    returns?: JsonObject;
  }>;
  limits: {
    duration: string;
    silence: string;
    turns: number;
  };
  speaks_first: 'agent' | 'caller';
  barge_in: boolean;
  keys: boolean;
};

export type BridgeArgs = {
  to: string | (string | string[])[];
  from?: string;
  from_name?: string;
  headers?: Record<string, string | number | boolean | null>;
  ring_timeout: string;
  ringback?: Json;
  send_digits?: string;
  whisper?: Json;
  screen?: {
    prompt: Json;
    accept: string;
    timeout: string;
    attempts: number;
  };
  detect_machine: boolean | {
    timeout: string;
    await_beep: string | boolean;
  };
  record: boolean | 'dual';
  end_key?: string;
  max_duration?: string;
  hold_music?: Json;
  bridge_id?: string;
};

export type CallArgs = {
  to: string | string[];
  flow: string;
  input?: JsonObject;
  in?: string;
  at?: string;
  until: 'answered' | 'accepted';
  attempts: number;
  pause: string;
  ring_timeout: string;
  from?: string;
  hours?: string | {
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
  key?: string;
  allow?: string[];
};

export type CancelCallArgs = {
  key: string;
};

export type CheckQueueArgs = {
  name: string;
  agents?: string[];
};

export type CollectArgs = {
  prompt?: Json;
  play_id?: string;
  prompt_ref?: string;
  digits?: {
    min: number;
    max: number;
    length?: number;
    terminator: string;
    pattern?: string;
  };
  date?: {
    order?: 'dmy' | 'mdy' | 'ymd';
    range?: 'past' | 'future';
    earliest?: string;
    latest?: string;
  };
  time?: {
    earliest?: string;
    latest?: string;
  };
  amount?: {
    currency?: string;
    min: number;
    max?: number;
  };
  code?: {
    min: number;
    max: number;
    length?: number;
    pattern?: string;
    one_of?: string[];
  };
  speech?: {
    hints?: string[];
    grammar?: 'digits' | 'yes_no';
    min_confidence: number;
    language?: string;
  };
  attempts: number;
  start_timeout: string;
  inter_digit_timeout?: string;
  recognizer_timeout?: string;
  barge_in: boolean;
  typeahead: 'keep' | 'from_prompt' | 'flush';
  no_input?: string | Json | Json[];
  no_match?: string | Json | Json[];
  confirm?: {
    prompt?: Json;
    accept: string;
    retry: string;
    only?: 'digits' | 'speech';
  };
  sensitive: boolean;
};

export type ConferenceArgs = {
  name?: string;
  conference_id?: string;
  muted: boolean;
  moderator: boolean;
  wait_for_moderator: boolean;
  end_on_exit: boolean;
  max_members?: number;
  music?: Json;
  join_sound?: Json;
  leave_key?: string;
  record: boolean;
};

export type ContinueArgs = {
  flow: string | JsonObject;
  input?: JsonObject;
};

export type DetectMachineArgs = {
  timeout: string;
  await_beep: string | boolean;
};

export type DoNotCallArgs = {
  number?: string;
};

export type ForEachArgs = {
  list: Json;
  flow: string;
  input?: JsonObject;
  outcomes?: string[];
};

export type HangupArgs = {
  cause: 'normal' | 'busy' | 'no_answer' | 'declined' | 'not_found' | 'unavailable' | 'congestion' | 'failure' | number;
  headers?: Record<string, string | number | boolean | null>;
};

export type HoldArgs = {
  music?: Json;
};

export type JoinRoomArgs = {
  room_id?: string;
  pin?: string;
  display_name?: string;
  music?: Json;
  announce: boolean;
  mute_key: string;
  hand_key: string;
  leave_key: string;
};

export type LogArgs = {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields?: JsonObject;
};

export type MenuArgs = {
  prompt?: Json;
  choices?: Record<string, {
    dtmf?: string;
    say?: string[];
    doc?: string;
  }>;
  each?: Json;
  say?: Json;
  phrases?: string | string[];
  per_page: number;
  more: string;
  say_page?: Json;
  say_more?: Json;
  speech?: {
    hints?: string[];
    grammar?: 'digits' | 'yes_no';
    min_confidence: number;
    language?: string;
  };
  attempts: number;
  start_timeout: string;
  inter_digit_timeout?: string;
  recognizer_timeout?: string;
  barge_in: boolean;
  typeahead: 'keep' | 'from_prompt' | 'flush';
  no_input?: string | Json | Json[];
  no_match?: string | Json | Json[];
  sensitive: boolean;
};

export type MessageArgs = {
  to: string;
  text: string;
  from?: string;
  provider?: string;
  timeout: string;
  meanwhile?: Json;
};

export type NotifyArgs = {
  event: string;
  body?: Json;
};

export type ParallelArgs = {
  branches: Record<string, string | {
    flow: string;
    input?: JsonObject;
  }>;
  until: 'all' | 'first';
  outcomes?: string[];
  timeout?: string;
};

export type PauseArgs = {
  duration: string;
};

export type PayArgs = {
  amount?: number;
  currency?: string;
  description?: string;
  tokenize: boolean;
  provider?: string;
  cards?: ('visa' | 'mastercard' | 'amex' | 'discover' | 'diners' | 'jcb' | 'unionpay' | 'maestro')[];
  security_code: boolean;
  postal_code: boolean | string;
  prompts?: {
    card_number?: Json;
    expiry?: Json;
    security_code?: Json;
    postal_code?: Json;
    no_match?: Json;
  };
  attempts: number;
  start_timeout: string;
  inter_digit_timeout: string;
  timeout: string;
  meanwhile?: Json;
};

export type PlayArgs = {
  prompt?: Json;
  play_id?: string;
  prompt_ref?: string;
  barge_in: boolean;
  early: boolean;
  repeat: number;
  voice?: string | string[];
  language?: string;
  text?: string;
  ssml?: string;
  rate?: number;
  pitch?: number;
  audio?: string;
  silence?: string;
  tone?: number;
  duration?: string;
};

export type QueueArgs = {
  name: string;
  agents?: string[];
  wait_for_agents: boolean;
  from?: string;
  priority: number;
  music?: Json;
  position?: Json;
  waiting?: string | {
    flow: string;
    input?: JsonObject;
  };
  outcomes?: string[];
  callback?: {
    flow: string;
    input?: JsonObject;
    key?: string;
    to?: string;
    allow?: string[];
    from?: string;
    attempts: number;
    pause: string;
    ring_timeout: string;
    hours?: string | {
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
    keep: string;
  };
  headers?: Record<string, string | number | boolean | null>;
  ring_timeout: string;
  timeout?: string;
  max_size?: number;
  leave_key?: string;
  whisper?: Json;
  caller_whisper?: Json;
  record: boolean | 'dual';
  hold_music?: Json;
};

export type RecordArgs = {
  prompt?: Json;
  beep: boolean;
  max_length: string;
  end_silence: string;
  terminator: string;
  min_length: string;
  barge_in: boolean;
};

export type RecordingArgs = {
  action: 'start' | 'pause' | 'resume' | 'stop';
  name?: string;
  max_length: string;
};

export type RejectArgs = {
  status?: number;
  reason?: 'busy' | 'no_answer' | 'declined' | 'not_found' | 'unavailable' | 'congestion' | 'failure';
  headers?: Record<string, string | number | boolean | null>;
};

export type RepeatArgs = {
  do: string;
  times: number;
};

export type RequestArgs = {
  get?: string;
  post?: string;
  put?: string;
  patch?: string;
  delete?: string;
  headers?: Record<string, string>;
  body?: Json;
  form?: Record<string, string | number | boolean | null | (string | number | boolean)[]>;
  auth?: {
    bearer?: string;
    basic?: {
      username: string;
      password: string;
    };
  };
  timeout: string;
  retry?: {
    times: number;
    backoff: string;
    when: ('timeout' | '5xx' | 'network')[];
  };
  meanwhile?: string | Json | Json[];
  returns?: string | JsonObject;
  idempotent?: boolean;
};

export type ResumeArgs = {
};

export type ReturnArgs = {
  outcome: string;
  output?: Json;
};

export type ScheduleArgs = {
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

export type SendDigitsArgs = {
  digits: string;
  tone: string;
  gap: string;
};

export type ServeArgs = {
  queue: string;
  once: boolean;
  timeout?: string;
  whisper?: Json;
  wrap_up: string;
  music?: Json;
  ready?: Json;
  paused?: Json;
  pause_key: string;
  leave_key: string;
  end_key?: string;
};

export type SplitArgs = {
  arms: Record<string, number>;
  sticky?: string | boolean;
};

export type StreamArgs = {
  action: 'start' | 'stop';
  url?: string;
  tracks: 'inbound' | 'outbound' | 'both' | ('inbound' | 'outbound')[];
  bidirectional: boolean;
  wait: boolean;
};

export type SubflowArgs = {
  flow: string | JsonObject;
  input?: JsonObject;
  outcomes?: string[];
};

export type TodoArgs = {
  what: string;
  outcomes?: string[];
  source?: Json;
};

export type TranscribeArgs = {
  action: 'start' | 'stop';
  language?: string;
  tracks: 'inbound' | 'outbound' | 'both' | ('inbound' | 'outbound')[];
  min_confidence: number;
};

export type TransferArgs = {
  to: string | (string | string[])[];
  mode: 'attended' | 'blind' | 'refer';
  from?: string;
  from_name?: string;
  headers?: Record<string, string | number | boolean | null>;
  ring_timeout: string;
  music?: Json;
  channel_id?: string;
};

export type WaitForArgs = {
  events?: string[];
  timeout?: string;
  commands: boolean;
  meanwhile?: string | Json | Json[];
};

export type WebhookArgs = {
  url?: string;
  outcomes: string[];
  timeout: string;
  headers?: Record<string, string>;
  auth?: {
    bearer?: string;
    basic?: {
      username: string;
      password: string;
    };
  };
  body?: Json;
  meanwhile?: string | Json | Json[];
  may?: ('goto' | 'flow')[];
};

export type AnswerOutcome = 'connected';

export type AssistantOutcome = NamedOutcome | 'done' | 'limit.duration' | 'limit.silence' | 'limit.turns' | 'error';

export type BranchOutcome = NamedOutcome | 'else';

export type BridgeOutcome = 'completed' | 'failed.no_answer' | 'failed.busy' | 'failed.declined' | 'failed.unreachable' | 'failed.screened' | 'machine' | 'error';

export type CallOutcome = 'placed' | 'refused' | 'error';

export type CancelCallOutcome = 'cancelled' | 'not_found' | 'error';

export type CheckQueueOutcome = 'free' | 'busy' | 'no_agents' | 'error';

export type CollectOutcome = 'collected' | 'exhausted.no_input' | 'exhausted.no_match' | 'error' | 'digits' | 'speech';

export type ConferenceOutcome = 'left' | 'ended' | 'full' | 'error';

export type ContinueOutcome = 'error';

export type DetectMachineOutcome = 'human' | 'machine' | 'beep' | 'fax' | 'unknown';

export type DoNotCallOutcome = 'done' | 'error';

export type ForEachOutcome = 'done' | 'empty' | NamedOutcome | 'error';

export type HangupOutcome = never;

export type HoldOutcome = 'done';

export type JoinRoomOutcome = 'left' | 'ended' | 'denied' | 'error';

export type LogOutcome = 'done';

export type MenuOutcome = NamedOutcome | 'chosen' | 'empty' | 'exhausted.no_input' | 'exhausted.no_match' | 'error';

export type MessageOutcome = 'sent' | 'refused' | 'error';

export type NotifyOutcome = 'done';

export type ParallelOutcome = 'done' | NamedOutcome | 'timeout' | 'error';

export type PauseOutcome = 'done';

export type PayOutcome = 'paid' | 'declined' | 'cancelled' | 'exhausted.no_input' | 'exhausted.no_match' | 'failed.timeout' | 'failed.network' | 'failed.provider' | 'failed.refused' | 'error' | 'tokenized';

export type PlayOutcome = 'done' | 'interrupted' | 'error';

export type QueueOutcome = 'dequeued' | 'timeout' | 'full' | 'no_agents' | 'abandoned' | 'callback' | 'no_callback' | NamedOutcome | 'error';

export type RecordOutcome = 'recorded' | 'silence' | 'error';

export type RecordingOutcome = 'started' | 'done' | 'failed';

export type RejectOutcome = never;

export type RepeatOutcome = 'done' | 'limit';

export type RequestOutcome = 'ok' | 'not_found' | 'failed.timeout' | 'failed.network' | 'failed.4xx' | 'failed.5xx' | 'failed.invalid';

export type ResumeOutcome = 'done';

export type ReturnOutcome = never;

export type ScheduleOutcome = 'open' | 'closed' | 'holiday';

export type SendDigitsOutcome = 'done' | 'error';

export type ServeOutcome = 'left' | 'served' | 'timeout' | 'error';

export type SetOutcome = 'done';

export type SplitOutcome = NamedOutcome;

export type StreamOutcome = 'started' | 'done' | 'failed';

export type SubflowOutcome = 'done' | NamedOutcome | 'error';

export type TodoOutcome = 'done' | NamedOutcome;

export type TranscribeOutcome = 'started' | 'done' | 'failed';

export type TransferOutcome = 'transferred' | 'returned' | 'failed.no_answer' | 'failed.busy' | 'failed.declined' | 'failed.unreachable' | 'error';

export type WaitForOutcome = NamedOutcome | 'timeout';

export type WebhookOutcome = NamedOutcome | 'done' | 'timeout' | 'error';
