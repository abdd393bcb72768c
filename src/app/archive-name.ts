/** The name of a node's data, which have the calls that ended on it: two machines may keep them at the same path. */
export const archiveName = (node: string | undefined, directory: string): string =>
  `${node ?? 'callweave'}:${directory}`;
