/** The bodies of requests: calls. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../../base/core/json.ts';

export type AnswerBody = {
  play?: JsonObject;
  connect?: {
    from?: string;
    to: string;
    sip_headers?: Record<string, string | number | boolean | null>;
  };
  hangup?: true | {
    sip_headers?: Record<string, string | number | boolean | null>;
  };
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
    after?: 'hang_up' | 'stay';
  };
  room?: {
    room_id: string;
    display_name?: string;
    after?: 'hang_up' | 'stay';
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

export type ConnectBody = {
  from: string;
  to: string;
  sip_headers?: Record<string, string | number | boolean | null>;
};

export type DialOutBody = {
  name?: string;
  owner_ref?: string;
  from: string;
  to: string;
  auto_record: boolean;
  event_url?: string;
  sip_headers?: Record<string, string | number | boolean | null>;
  action_on_connect?: {
    play?: JsonObject;
    connect?: {
      from?: string;
      to: string;
      sip_headers?: Record<string, string | number | boolean | null>;
    };
    room?: {
      room_id: string;
      display_name?: string;
      after?: 'hang_up' | 'stay';
    };
    stream?: {
      stream_dest: string;
      tracks: 'inbound' | 'outbound' | 'both';
      bidirectional: boolean;
    };
    flow?: string | JsonObject;
  };
  flow?: string | JsonObject;
  flow_version?: string;
  check_do_not_call: boolean;
  input?: JsonObject;
};

export type EventBody = {
  event: string;
  data?: Json;
};

export type ForwardBody = {
  from: string;
  to: string;
  sip_headers?: Record<string, string | number | boolean | null>;
};

export type HangupBody = {
  sip_headers?: Record<string, string | number | boolean | null>;
};

export type HoldBody = {
  hold: boolean;
  prompt_name?: string;
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

export type StreamBody = {
  stream_dest: string;
  tracks: 'inbound' | 'outbound' | 'both';
  bidirectional: boolean;
};

export type TransferBody = {
  from?: string;
  transfer_to: string;
  sip_headers?: Record<string, string | number | boolean | null>;
};

export type WebphoneBody = {
  number?: string;
  flow?: string;
  input?: JsonObject;
  from: string;
};
