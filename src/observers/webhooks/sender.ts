/** Port: one HTTP attempt. The dispatcher decides what follows from it. Implemented in `http-sender.ts`. */
export interface SendRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What came of an attempt. Senders never throw. */
export type SendResult =
  | { status: number; body: AnswerBody }
  /** No status: the reason in one word, for the log. */
  | { failure: SendFailure };

/** What stood in the response. */
export type AnswerBody = { text: string } | { unread: 'too_large' | 'broken_off' };

export type SendFailure =
  | 'timeout'
  | 'refused_target'
  | 'connection_refused'
  | 'connection_reset'
  | 'name_not_found'
  | 'tls'
  | 'bad_response'
  | 'network';

export interface Sender {
  send(request: SendRequest): Promise<SendResult>;
  /** Lets go of all connections. */
  close(): Promise<void>;
}
