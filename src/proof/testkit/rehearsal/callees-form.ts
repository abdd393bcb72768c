/** The callees of a rehearsal. Made of schemas/callees.schema.json by `npm run types`: edit those, then make it again. */

export type CalleesForm = {
  doc?: string;
  groups: Group[];
  parties?: Group[];
};

export type Amount = string | Spread;

export type Spread = {
  from?: string;
  to?: string;
  mean?: string;
  deviation?: string;
};

export type CalleePress = string | PressManner;

export type PressManner = {
  digits?: string | Record<string, number>;
  after?: Amount;
  at?: Amount;
};

export type Numbers = string | {
  prefix?: string | string[];
  pattern?: string;
  list?: string[];
};

export type Manner = {
  does: 'answer' | 'busy' | 'no_answer' | 'declined' | 'unreachable' | 'fail';
  sip_status?: number;
  after?: Amount;
  ring_after?: Amount;
  is?: 'human' | 'machine' | 'fax' | 'silent';
  greeting?: Amount;
  beep_after?: false | string | Spread;
  presses?: CalleePress[] | string | PressManner;
  talk?: Amount;
};

export type Group = {
  name?: string;
  share: number;
  numbers?: Numbers;
  sticks?: boolean;
  then?: Manner[];
  does: 'answer' | 'busy' | 'no_answer' | 'declined' | 'unreachable' | 'fail';
  sip_status?: number;
  after?: Amount;
  ring_after?: Amount;
  is?: 'human' | 'machine' | 'fax' | 'silent';
  greeting?: Amount;
  beep_after?: false | string | Spread;
  presses?: CalleePress[] | string | PressManner;
  talk?: Amount;
};
