/** The bodies of requests. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../core/json.ts';

export type AnswerBody = {
  play?: JsonObject;
  connect?: {
    from?: string;
    to: string;
  };
  hangup?: Json;
  flow?: string | JsonObject;
  input?: JsonObject;
  conference?: {
    name?: string;
    conference_id?: string;
    moderator?: boolean;
    muted?: boolean;
    wait_for_moderator?: boolean;
    end_on_exit?: boolean;
    max_members?: number;
    leave_key?: string;
  };
  room?: {
    room_id: string;
    display_name?: string;
  };
  stream?: {
    stream_dest: string;
    tracks: 'inbound' | 'outbound' | 'both';
    bidirectional: boolean;
  };
  hold?: boolean;
  outcome?: string;
  set?: JsonObject;
};

export type BroadcastBody = {
  application_name?: string;
  owner_ref?: string;
  from: string;
  broadcast_numbers_array?: Json;
  action_on_connect?: {
    play?: JsonObject;
    connect?: {
      from?: string;
      to: string;
    };
    room?: {
      room_id: string;
      display_name?: string;
    };
    stream?: {
      stream_dest: string;
      tracks: 'inbound' | 'outbound' | 'both';
      bidirectional: boolean;
    };
    flow?: string | JsonObject;
  };
  flow?: string | JsonObject;
  input?: JsonObject;
  auto_record: boolean;
  event_url?: string;
  call_handler_url?: string;
  call_param: {
    interval_between_retries: number;
    number_of_retries: number;
    retry: {
      busy: {
        retries?: number;
        interval?: number;
      };
      no_answer: {
        retries?: number;
        interval?: number;
      };
      declined: {
        retries: number;
        interval?: number;
      };
      unreachable: {
        retries?: number;
        interval?: number;
      };
    };
    calls_per_second?: number;
    max_concurrent?: number;
    window?: string | JsonObject;
    ring_timeout: number;
    idle_timeout: number;
    redial_lost: boolean;
  };
  answering_machine_detection: boolean;
  amd?: boolean | {
    timeout: number;
    await_beep: number | boolean;
    on_machine: string | {
      play?: JsonObject;
      flow?: string | JsonObject;
      input?: JsonObject;
    };
  };
};

export type BroadcastStopBody = {
  hangup: boolean;
};

export type ConferenceBody = {
  name?: string;
  from?: string;
  to?: string;
  event_url?: string;
  owner_ref?: string;
  moderator?: boolean;
  muted?: boolean;
  wait_for_moderator?: boolean;
  end_on_exit?: boolean;
  max_members?: number;
  leave_key?: string;
};

export type ConferenceJoinBody = {
  from?: string;
  transfer_to?: string;
  event_url?: string;
  owner_ref?: string;
  moderator?: boolean;
  muted?: boolean;
  wait_for_moderator?: boolean;
  end_on_exit?: boolean;
  max_members?: number;
  leave_key?: string;
};

export type ConnectBody = {
  from: string;
  to: string;
};

export type DialOutBody = {
  name?: string;
  owner_ref?: string;
  from: string;
  to: string;
  auto_record: boolean;
  event_url?: string;
  action_on_connect?: {
    play?: JsonObject;
    connect?: {
      from?: string;
      to: string;
    };
    room?: {
      room_id: string;
      display_name?: string;
    };
    stream?: {
      stream_dest: string;
      tracks: 'inbound' | 'outbound' | 'both';
      bidirectional: boolean;
    };
    flow?: string | JsonObject;
  };
  flow?: string | JsonObject;
  input?: JsonObject;
};

export type DoNotCallBody = {
  number?: string;
  numbers?: Json;
};

export type EventBody = {
  event: string;
  data?: Json;
};

export type ForwardBody = {
  from: string;
  to: string;
};

export type HoldBody = {
  hold: boolean;
  prompt_name?: string;
};

export type ParticipantBody = {
  muted?: boolean;
  hold?: boolean;
};

export type PlayBody = {
  prompt_name?: string;
  prompt_ref?: string;
  text?: string;
  voice?: 'female' | 'male';
  language?: string;
  dtmf: boolean;
  typeahead: boolean;
  asr: boolean;
  start_timeout: number;
  recognizer_timeout: number;
  interrupt?: boolean;
  text_to_speech_option?: {
    silence?: {
      type?: string;
      value?: string;
    };
    text?: string;
    break?: {
      value?: string;
      time?: string;
      strength?: 'none' | 'x-weak' | 'weak' | 'medium' | 'strong' | 'x-strong';
    };
    text2?: string;
    'express-as'?: {
      style: 'advertisement_upbeat' | 'cheerful' | 'customerservice' | 'friendly' | 'gentle';
      text?: string;
    };
    prosody?: {
      rate?: string;
      pitch?: string;
      volume?: string;
      text?: string;
      break?: {
        value?: string;
        time?: string;
        strength?: 'none' | 'x-weak' | 'weak' | 'medium' | 'strong' | 'x-strong';
      };
      text2?: string;
      'say-as'?: {
        'interpret-as': 'characters' | 'spell-out' | 'cardinal' | 'number' | 'ordinal' | 'number_digit' | 'fraction' | 'date' | 'time' | 'duration' | 'telephone' | 'currency' | 'address' | 'name';
        format?: string;
        text?: string;
      };
      text3?: string;
    };
    'say-as'?: {
      'interpret-as': 'characters' | 'spell-out' | 'cardinal' | 'number' | 'ordinal' | 'number_digit' | 'fraction' | 'date' | 'time' | 'duration' | 'telephone' | 'currency' | 'address' | 'name';
      format?: string;
      text?: string;
    };
  };
};

export type RecordingBody = {
  start?: boolean;
  stop?: boolean;
  pause?: boolean;
  recording_name?: string;
};

export type RoomJoinBody = {
  name?: string;
  from?: string;
  to?: string;
  event_url?: string;
  owner_ref?: string;
  display_name?: string;
};

export type SessionBody = {
  code?: string;
};

export type StreamBody = {
  stream_dest: string;
  tracks: 'inbound' | 'outbound' | 'both';
  bidirectional: boolean;
};

export type TransferBody = {
  from?: string;
  transfer_to: string;
};

export type AdminFlowBody = {
  text: string;
  draft: boolean;
};

export type AdminFlowCanaryBody = {
  version: string;
  percent: number;
  numbers?: string[];
  back_when: {
    errors_worse_by: number;
    abandoned_worse_by: number;
    after_calls: number;
  };
};

export type AdminFlowCheckBody = {
  name: string;
  text: string;
  session?: string;
};

export type AdminFlowPublishBody = {
  version: string;
};

export type AdminFlowReplayBody = {
  text?: string;
  session?: string;
  calls?: number | string[];
};

export type AdminFlowSimulationBody = {
  name: string;
  text?: string;
  session?: string;
  script?: Json[];
  until?: 'acts' | 'quiet' | 'end';
  breakpoints?: string[];
  passed_stops?: number;
  call?: JsonObject;
  callers?: JsonObject;
  input?: JsonObject;
  at?: string;
  seed?: number;
  mocks?: JsonObject;
  env?: JsonObject;
  schedules?: JsonObject;
  prompts?: JsonObject;
  numbers?: string[];
  rooms?: JsonObject[];
  strict_bridge_state?: boolean;
};

export type AdminFlowTakeOverBody = {
  voice_id: string;
  test?: string;
  text?: string;
  session?: string;
};

export type AdminFlowTestBody = {
  text: string;
};

export type AdminFlowTestsBody = {
  text?: string;
  session?: string;
  tests?: Record<string, string>;
  filter?: string;
};

export type AdminFlowVersionBody = {
  text: string;
};

export type AdminFlowWayBody = {
  step: string;
  tests?: Record<string, string>;
  text?: string;
  session?: string;
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
};

export type AdminProjectCreateBody = {
  name: string;
  app_id?: string;
  webhook_format?: 'plain' | 'encrypted';
  strict_bridge_state?: boolean;
  cli_policy?: 'own' | 'any';
};

export type AdminPromptBody = {
  text: string;
  voice?: 'female' | 'male';
};

export type AdminResendBody = {
  url_prefix: string;
};

export type AdminRouteBody = {
  prefix: string;
  gateways: string[];
  username?: string;
  password?: string;
  transport?: 'udp' | 'tcp' | 'tls';
  register?: boolean;
  failover_on?: (number | '4xx' | '5xx')[];
  try_timeout?: string;
  calls_per_second?: number;
  max_calls?: number;
  strip?: number;
  add?: string;
  from_domain?: string;
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
  password: string;
  project?: string;
  srtp?: 'off' | 'optional' | 'required';
};

/** By the name of their schema. */
export type RequestBodies = {
  'answer': AnswerBody;
  'broadcast': BroadcastBody;
  'broadcast-stop': BroadcastStopBody;
  'conference': ConferenceBody;
  'conference-join': ConferenceJoinBody;
  'connect': ConnectBody;
  'dial-out': DialOutBody;
  'do-not-call': DoNotCallBody;
  'event': EventBody;
  'forward': ForwardBody;
  'hold': HoldBody;
  'participant': ParticipantBody;
  'play': PlayBody;
  'recording': RecordingBody;
  'room-join': RoomJoinBody;
  'session': SessionBody;
  'stream': StreamBody;
  'transfer': TransferBody;
  'admin/flow': AdminFlowBody;
  'admin/flow-canary': AdminFlowCanaryBody;
  'admin/flow-check': AdminFlowCheckBody;
  'admin/flow-publish': AdminFlowPublishBody;
  'admin/flow-replay': AdminFlowReplayBody;
  'admin/flow-simulation': AdminFlowSimulationBody;
  'admin/flow-take-over': AdminFlowTakeOverBody;
  'admin/flow-test': AdminFlowTestBody;
  'admin/flow-tests': AdminFlowTestsBody;
  'admin/flow-version': AdminFlowVersionBody;
  'admin/flow-way': AdminFlowWayBody;
  'admin/number': AdminNumberBody;
  'admin/project-change': AdminProjectChangeBody;
  'admin/project-create': AdminProjectCreateBody;
  'admin/prompt': AdminPromptBody;
  'admin/resend': AdminResendBody;
  'admin/route': AdminRouteBody;
  'admin/schedule': AdminScheduleBody;
  'admin/url': AdminUrlBody;
  'admin/user': AdminUserBody;
};
