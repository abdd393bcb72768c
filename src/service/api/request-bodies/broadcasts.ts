/** The bodies of requests: broadcasts. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../../base/core/json.ts';

export type BroadcastBody = {
  application_name?: string;
  owner_ref?: string;
  from: string;
  broadcast_numbers_array?: Json;
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

export type DoNotCallBody = {
  number?: string;
  numbers?: Json;
};
