/** SIP messages as they went over the network: what the engine hands to those who keep or forward them. Plain data. */
export interface SipEnd {
  /** An IP address. */
  host: string;
  port: number;
}

interface Passage {
  direction: 'received' | 'sent';
  transport: 'udp' | 'tcp' | 'tls';
  /** Of TCP and TLS: where we listen, which is not always the port of the connection. */
  local: SipEnd;
  remote: SipEnd;
}

export interface CapturedSip extends Passage {
  /** By the wall clock. */
  atMs: number;
  /** One character per byte. Masked, wherever it is kept or sent. */
  text: string;
}

/** A message in passing: the bytes are the engine's, and change after the call. */
export interface PassingSip extends Omit<Passage, 'local'> {
  /** Asks the system for a route where we listen on all addresses: to be called for what is kept or sent. */
  local(): SipEnd;
  callId: string;
  bytes: Buffer;
}

/** Receives every well-formed message. Must not throw, and must not wait. */
export interface SipTap {
  message(message: PassingSip): void;
  /** The dialog with this Call-ID belongs to this leg. */
  belongs(callId: string, legId: string): void;
}
