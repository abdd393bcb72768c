/**
 * The four transaction state machines of RFC 3261 §17, as corrected by RFC 6026, as data. A state names its timers and,
 * for each input, the next state and the actions of the transition. Inputs that a state does not name are ignored.
 * `transaction.ts` is the only interpreter.
 */
export type TimerName = 'trying' | 'A' | 'B' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M' | 'cancelled';

export type TransactionInput =
  /** Responses: received by a client, or sent by a server's user. */
  | '1xx'
  | '2xx'
  | 'failure'
  /** Retransmission of the request, at a server. */
  | 'retransmission'
  | 'ack'
  | 'transportError'
  | TimerName;

export type TransactionAction =
  /** Informs the transaction's user (the TU of figures 5–8) of the response, or of the ACK. */
  | 'informTU'
  /** Sends the response that the user just gave. */
  | 'send'
  /** Sends the last message again. */
  | 'resend'
  | 'send100'
  /** Sends the ACK to a failure response (§17.1.1.3). */
  | 'ack'
  | 'informTimeout'
  | 'informTransportError';

export type StateName = 'calling' | 'trying' | 'proceeding' | 'accepted' | 'completed' | 'confirmed' | 'terminated';

export interface TransactionRow {
  to: StateName;
  actions: readonly TransactionAction[];
}

export interface TransactionState {
  timers: readonly TimerName[];
  on: Readonly<Partial<Record<TransactionInput, TransactionRow>>>;
}

export interface TransactionTable {
  start: StateName;
  states: Readonly<Partial<Record<StateName, TransactionState>>>;
}

const go = (to: StateName, ...actions: TransactionAction[]): TransactionRow => ({ to, actions });

/** Transitions before the final response; that of an INVITE is acknowledged. */
const CLIENT_RESPONSES = {
  '1xx': go('proceeding', 'informTU'),
  '2xx': go('completed', 'informTU'),
  failure: go('completed', 'informTU'),
  transportError: go('terminated', 'informTransportError'),
};
const INVITE_RESPONSES = {
  ...CLIENT_RESPONSES,
  '2xx': go('accepted', 'informTU'),
  failure: go('completed', 'ack', 'informTU'),
};

/** §17.1.1, RFC 6026 §7.2. `cancelled`: no final response arrived after a CANCEL in time (§9.1). */
export const INVITE_CLIENT: TransactionTable = {
  start: 'calling',
  states: {
    calling: {
      timers: ['A', 'B'],
      on: { ...INVITE_RESPONSES, A: go('calling', 'resend'), B: go('terminated', 'informTimeout') },
    },
    proceeding: { timers: [], on: { ...INVITE_RESPONSES, cancelled: go('terminated', 'informTimeout') } },
    accepted: { timers: ['M'], on: { '2xx': go('accepted', 'informTU'), M: go('terminated') } },
    completed: { timers: ['D'], on: { failure: go('completed', 'ack'), D: go('terminated') } },
  },
};

/** §17.1.2 */
export const NON_INVITE_CLIENT: TransactionTable = {
  start: 'trying',
  states: {
    trying: {
      timers: ['E', 'F'],
      on: { ...CLIENT_RESPONSES, E: go('trying', 'resend'), F: go('terminated', 'informTimeout') },
    },
    proceeding: {
      timers: ['E', 'F'],
      on: { ...CLIENT_RESPONSES, E: go('proceeding', 'resend'), F: go('terminated', 'informTimeout') },
    },
    completed: { timers: ['K'], on: { K: go('terminated') } },
  },
};

/** Responses of a server's user, until the final one. */
const SERVER_RESPONSES = {
  '1xx': go('proceeding', 'send'),
  '2xx': go('completed', 'send'),
  failure: go('completed', 'send'),
};

/** §17.2.1, RFC 6026 §7.1. 2xx are retransmitted by the user until their ACK (§13.3.1.4), not here. */
export const INVITE_SERVER: TransactionTable = {
  start: 'proceeding',
  states: {
    proceeding: {
      timers: ['trying'],
      on: {
        ...SERVER_RESPONSES,
        '2xx': go('accepted', 'send'),
        retransmission: go('proceeding', 'resend'),
        trying: go('proceeding', 'send100'),
      },
    },
    accepted: {
      timers: ['L'],
      on: { ack: go('accepted', 'informTU'), '2xx': go('accepted', 'send'), L: go('terminated') },
    },
    completed: {
      timers: ['G', 'H'],
      on: {
        retransmission: go('completed', 'resend'),
        G: go('completed', 'resend'),
        ack: go('confirmed'),
        H: go('terminated'),
      },
    },
    confirmed: { timers: ['I'], on: { I: go('terminated') } },
  },
};

/** §17.2.2 */
export const NON_INVITE_SERVER: TransactionTable = {
  start: 'trying',
  states: {
    trying: { timers: [], on: SERVER_RESPONSES },
    proceeding: { timers: [], on: { ...SERVER_RESPONSES, retransmission: go('proceeding', 'resend') } },
    completed: { timers: ['J'], on: { retransmission: go('completed', 'resend'), J: go('terminated') } },
  },
};

/** §17.1.1.1: estimate of the round trip, longest retransmission interval, longest life of a message in the network. */
export const T1_MS = 500;
export const T2_MS = 4000;
const T4_MS = 5000;
/** §17.2.1: a 100 is due if the user takes longer. */
const TRYING_MS = 200;

/** Table 4 of RFC 3261. Zero: at once; undefined: not used with this kind of transport. */
export function timerMs(name: TimerName, reliable: boolean): number | undefined {
  switch (name) {
    case 'trying':
      return TRYING_MS;
    case 'A':
    case 'E':
    case 'G':
      return reliable ? undefined : T1_MS;
    case 'D':
      return reliable ? 0 : 32_000;
    case 'I':
    case 'K':
      return reliable ? 0 : T4_MS;
    case 'J':
      return reliable ? 0 : 64 * T1_MS;
    default:
      return 64 * T1_MS;
  }
}

/** The interval after `previousMs` of a repeating timer; undefined if it does not repeat. */
export function nextTimerMs(name: TimerName, state: StateName, previousMs: number): number | undefined {
  if (name === 'A') return previousMs * 2;
  if (name === 'G') return Math.min(previousMs * 2, T2_MS);
  if (name === 'E') return state === 'proceeding' ? T2_MS : Math.min(previousMs * 2, T2_MS);
  return undefined;
}
