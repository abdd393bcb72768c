/** Types of `client-stats.js`. */
import type { ClientMessages } from './messages.js';

export class ClientStats {
  take(stats: { values(): Iterable<object> }, nowMs: number): ClientMessages['client_stats'] | undefined;
}
