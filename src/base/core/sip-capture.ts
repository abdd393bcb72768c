/** SIP messages as sent and received, which the engine passes to captures and forwarders. Plain data. */
export interface SipEnd {
  /** An IP address. */
  host: string;
  port: number;
}

interface Passage {
  direction: 'received' | 'sent';
  transport: 'udp' | 'tcp' | 'tls';
  /** With TCP and TLS the address of the listener, whose port may differ from the port of the connection. */
  local: SipEnd;
  remote: SipEnd;
}

export interface CapturedSip extends Passage {
  /** Wall-clock time. */
  atMs: number;
  /** One character per byte. Must be masked before it is stored or sent. */
  text: string;
}

/** A message in transit: the bytes belong to the engine, and change after the call. */
export interface PassingSip extends Omit<Passage, 'local'> {
  /**
   * Asks the system for a route if the listener is bound to all addresses; therefore only to be called for messages
   * that are stored or sent.
   */
  local(): SipEnd;
  callId: string;
  bytes: Buffer;
}

/** Receives every well-formed message. Must neither throw nor block. */
export interface SipTap {
  message(message: PassingSip): void;
  /** Reports that the dialog with this Call-ID belongs to this leg. */
  associate(callId: string, legId: string): void;
}
