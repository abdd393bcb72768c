/** SRV records (RFC 2782): the order in which to try them. */
export interface ServiceRecord {
  priority: number;
  weight: number;
  port: number;
  /** A host; empty or `.`: the service does not exist. */
  name: string;
}

/** The lowest priority first; among equals by chance, in proportion to the weights. */
export function inOrder<T extends ServiceRecord>(records: readonly T[], random: () => number): T[] {
  const ordered: T[] = [];
  for (const priority of [...new Set(records.map((record) => record.priority))].sort((a, b) => a - b)) {
    // Those of weight 0 come first, so that they keep a small chance.
    const left = records.filter((record) => record.priority === priority).sort((a, b) => a.weight - b.weight);
    while (left.length > 0) {
      let drawn = Math.floor(random() * (left.reduce((sum, { weight }) => sum + weight, 0) + 1));
      const index = left.findIndex(({ weight }) => {
        drawn -= weight;
        return drawn <= 0;
      });
      ordered.push(...left.splice(index, 1));
    }
  }
  return ordered;
}
