/** Session of a dialog, as other layers find it by dialog key or leg. Implemented by `session.ts`. */
import type { Dialog } from './dialog.ts';
import type { SipRequest } from './message.ts';
import type { ServerTransaction } from './server-transaction.ts';
import type { Peer } from './transport.ts';

export interface DialogSession {
  readonly legId: string;
  readonly dialog: Dialog;
  /** True until its end has started. */
  readonly isLive: boolean;
  readonly isConfirmed: boolean;
  receive(transaction: ServerTransaction): void;
  receiveAck(request: SipRequest, source: Peer): void;
  drop(): void;
}
