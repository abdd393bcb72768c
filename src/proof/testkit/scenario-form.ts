/** A scenario. Made of schemas/scenario.schema.json by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../base/core/json.ts';

export type ScenarioForm = {
  test: string;
  doc?: string;
  flow: string;
  at?: string;
  seed?: number;
  call?: {
    from?: string;
    to?: string;
    direction?: 'inbound' | 'outbound';
    callee?: Party;
    headers?: Record<string, string>;
    ring_timeout?: string;
    on_refer?: OnRefer;
  };
  callers?: Record<string, {
    from: string;
    to?: string;
    headers?: Record<string, string>;
    flow?: string;
    input?: JsonObject;
  }>;
  input?: JsonObject;
  timezone?: string;
  env?: JsonObject;
  secrets?: JsonObject;
  schedules?: JsonObject;
  prompts?: Record<string, string>;
  mocks?: {
    bridge?: Record<string, Party[] | 'answer' | 'no_answer' | 'busy' | 'declined' | 'unreachable' | 'human' | 'machine' | 'fax' | 'silent' | PartyManner>;
    transfer?: Record<string, Party[] | 'answer' | 'no_answer' | 'busy' | 'declined' | 'unreachable' | 'human' | 'machine' | 'fax' | 'silent' | PartyManner>;
    queue?: Record<string, Party[] | 'answer' | 'no_answer' | 'busy' | 'declined' | 'unreachable' | 'human' | 'machine' | 'fax' | 'silent' | PartyManner>;
    check_queue?: Record<string, QueueFigures[] | QueueFigures>;
    stream?: 'accept' | 'refuse' | {
      closes_after: string;
    };
  };
  flows?: Record<string, FlowReply[] | string | FlowReplyForm>;
  numbers?: string[];
  rooms?: {
    room_id: string;
    pin?: string;
    name?: string;
  }[];
  others?: {
    queues?: Record<string, number>;
    conferences?: Record<string, {
      members?: number;
      ends_after?: string;
      removes_after?: string;
    }>;
    rooms?: Record<string, {
      members?: number;
      ends_after?: string;
      removes_after?: string;
      denies_after?: string;
    }>;
  };
  strict_bridge_state?: boolean;
  script?: Act[];
  expect?: Expect;
  limit?: string;
};

export type HeadersSent = {
  invite?: Record<string, string>;
  answer?: Record<string, string>;
  refer?: Record<string, string>;
  hangup?: Record<string, string>;
};

export type Reply = 'ok' | 'not_found' | 'failed.timeout' | 'failed.network' | 'failed.4xx' | 'failed.5xx' | 'failed.invalid' | ReplyForm;

export type FlowReply = string | FlowReplyForm;

export type FlowReplyForm = {
  outcome: string;
  result?: Json;
};

export type ReplyForm = {
  status?: number;
  body?: Json;
  headers?: Record<string, string>;
  after?: string;
  timeout?: true;
  network?: true;
  agent?: ('listen' | 'close' | 'break' | 'refuse' | AgentAct)[];
};

export type AgentAct = {
  say?: string;
  lasts?: string;
  wait?: string;
  call?: string;
  arguments?: JsonObject;
  turns?: number;
};

export type Act = 'silence' | 'hang_up' | {
  hear?: string | string[];
  press?: Press;
  say?: Say;
  speak?: string;
  wait?: string;
  silence?: string;
  hang_up?: HangUp;
  hold?: boolean;
  refer?: Refer;
  talks_with?: string | string[];
  party?: Record<string, PartyAct[] | 'hang_up' | PartyActs>;
  call?: string;
  command?: Command;
};

export type Command = 'hangup' | 'accept' | 'stop_play' | {
  hangup?: {
    cause?: number;
  };
  accept?: JsonObject;
  stop_play?: JsonObject;
  play?: JsonObject;
  collect?: JsonObject;
  event?: {
    name: string;
    data?: Json;
  };
  flow?: {
    flow: string;
    input?: JsonObject;
  };
  bridge?: JsonObject;
  transfer?: JsonObject;
  hold?: boolean | {
    music: Json;
  };
  recording?: 'start' | 'stop' | 'pause' | 'resume' | {
    action: 'start' | 'stop' | 'pause' | 'resume';
    name?: string;
  };
  stream?: 'stop' | {
    url: string;
    tracks?: ('inbound' | 'outbound')[];
    bidirectional?: boolean;
  };
  conference?: JsonObject;
  join_room?: JsonObject;
  outcome?: string | {
    outcome: string;
    set?: JsonObject;
  };
  refused?: 'play_pending' | 'not_bridged' | 'ringing' | 'detecting' | 'prompt_playing' | 'bridging' | 'bridged' | 'transferring' | 'in_conference' | 'in_room' | 'in_queue' | 'not_accepted_here' | 'not_playing' | 'already_answered' | 'ended' | 'already_recording' | 'not_recording' | 'recording_name_taken' | 'recording_failed' | 'already_streaming' | 'not_streaming' | 'target_refused' | 'unknown_outcome';
};

export type Expect = {
  path?: string[];
  outcomes?: Record<string, string | string[]>;
  visits?: Record<string, number>;
  reached?: Record<string, string>;
  retries?: Record<string, number>;
  heard?: string[];
  languages?: string[];
  dialled?: string[];
  bridged_with?: string[];
  talked_with?: string[];
  states?: string[];
  recordings?: ({
    name?: string;
    state?: 'started' | 'paused' | 'resumed' | 'completed' | 'failed';
    duration?: string;
  })[];
  streams?: ({
    url?: string;
    state?: 'stream_initiated' | 'stream_started' | 'stream_stopped' | 'stream_failed';
    frames?: {
      min?: number;
      max?: number;
    };
  })[];
  transcripts?: ('inbound' | 'outbound')[];
  venues?: ({
    venue?: 'conference' | 'queue' | 'room';
    name?: string;
    event?: string;
    data?: Json;
  })[];
  headers?: HeadersSent;
  parties?: Record<string, {
    heard?: string[];
    talked_with?: string[];
    received_digits?: string;
    ended?: number | string;
    headers?: HeadersSent;
  }>;
  quiet?: string;
  interrupted?: string[];
  dead_air?: {
    max: string;
  };
  never?: {
    trace_contains?: string | string[];
    heard?: string | string[];
    visited?: string | string[];
  };
  ended?: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost' | {
    reason?: 'completed' | 'hangup' | 'fault' | 'limit' | 'lost';
    cause?: number | string;
    state?: 'disconnected' | 'failed';
    fault?: string;
  };
  vars?: JsonObject;
  output?: Json;
  notified?: (string | {
    event: string;
    body?: Json;
  })[];
  requests?: {
    step?: string;
    method?: string;
    url?: string;
    headers?: Record<string, string>;
    body?: Json;
  }[];
  messages?: {
    step?: string;
    provider?: string;
    to?: string;
    from?: string;
    text?: string;
  }[];
  answered?: Json[];
  payments?: ({
    step?: string;
    provider?: string;
    action?: 'charge' | 'tokenize';
    amount?: string;
    amount_minor?: number;
    currency?: string;
    description?: string;
    card_type?: string;
    last_digits?: string;
  })[];
  calls?: ({
    step?: string;
    to?: string[];
    from?: string;
    flow?: string;
    input?: JsonObject;
    at?: string;
    until?: 'answered' | 'accepted';
    key?: string;
    attempts?: number;
    pause?: string;
  })[];
  received_digits?: string;
  duration?: string | {
    min?: string;
    max?: string;
  };
};

export type OnRefer = 'accept' | 'ignore' | 'hang_up' | number;

export type Party = 'answer' | 'no_answer' | 'busy' | 'declined' | 'unreachable' | 'human' | 'machine' | 'fax' | 'silent' | PartyManner;

export type PartyAct = 'hang_up' | PartyActs;

export type PartyManner = {
  ring_after?: string;
  answer_after?: string;
  early_media?: string;
  talk?: string;
  is?: 'human' | 'machine' | 'fax' | 'silent';
  greeting?: string;
  beep_after?: string;
  no_answer?: true;
  busy_after?: string;
  declined_after?: string;
  unreachable_after?: string;
  headers?: Record<string, string>;
  sip_status?: number;
  presses?: string | string[];
  says?: string | string[];
  refers_to?: string;
  refers_after?: string;
  on_refer?: OnRefer;
};

export type Press = string | {
  digits: string;
  at?: string;
  after?: string;
  tone?: string;
  gap?: string;
  times?: number;
};

export type Say = string | {
  text: string;
  confidence?: number;
  lasts?: string;
  at?: string;
  after?: string;
};

export type HangUp = {
  at?: string;
};

export type Refer = string | {
  to: string;
  replaces?: string;
  stays?: boolean;
};

export type PartyActs = {
  hear?: string | string[];
  press?: Press;
  say?: Say;
  speak?: string;
  wait?: string;
  hang_up?: HangUp;
  hold?: boolean;
  refer?: Refer;
  talks_with?: string | string[];
};

export type QueueFigures = {
  waiting?: number;
  talking?: number;
  agents?: number;
  free?: number;
  longest_wait?: number;
  estimated_wait?: number;
};
