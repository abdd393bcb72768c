/**
 * Name of a node's data directory, where the calls that ended on the node are archived. It includes the node because
 * two machines may use the same path.
 */
export const archiveName = (node: string | undefined, directory: string): string =>
  `${node ?? 'callweave'}:${directory}`;
