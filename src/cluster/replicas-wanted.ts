/**
 * How many replicas Redis needs so that the loss of one of its servers, or of a machine, does not stop the nodes: a write has
 * to be confirmed by one replica, so one has to be left when another is lost, or is made the primary.
 */
export const replicasWanted = (durability: string): number => (durability === 'memory' ? 0 : 2);
