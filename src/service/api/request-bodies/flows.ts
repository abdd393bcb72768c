/** The bodies of requests: flows. Made of schemas/api by `npm run types`: edit those, then make it again. */
import type { Json, JsonObject } from '../../../base/core/json.ts';

export type AdminFlowBody = {
  text: string;
  draft: boolean;
  renamed?: {
    from: string;
    to: string;
  }[];
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

export type AdminFlowImportBody = {
  files: {
    file: string;
    text: string;
  }[];
  name?: string;
  format?: 'twiml' | 'twilio-studio' | 'amazon-connect' | 'ncco' | 'jambonz' | 'swml' | 'voicexml';
};

export type AdminFlowPublishBody = {
  version: string;
};

export type AdminFlowReplayBody = {
  text?: string;
  session?: string;
  calls?: number | string[];
};

export type AdminFlowRequestBody = {
  step: string;
  values?: {
    vars?: JsonObject;
    input?: JsonObject;
    steps?: JsonObject;
    call?: JsonObject;
  };
  send: boolean;
  text?: string;
  session?: string;
};

export type AdminFlowSaveBody = {
  files: {
    flow: string;
    test?: string;
    etag?: string;
    text: string;
    draft: boolean;
    renamed?: {
      from: string;
      to: string;
    }[];
  }[];
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
  outcomes?: string[];
  search: boolean;
  tests?: Record<string, string>;
  text?: string;
  session?: string;
};
