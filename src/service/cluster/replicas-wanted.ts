/**
 * Number of replicas that Redis needs so that the loss of one server, or of one machine, does not block writes. A write
 * must be confirmed by one replica, so one must remain after another is lost or promoted.
 */
export const replicasWanted = (durability: string): number => (durability === 'memory' ? 0 : 2);
