/** Names of local flows, which are defined under `flows` in the file of another flow. */

/** Name of a local flow outside of its file. */
export const localName = (main: string, name: string): string => `${main}/${name}`;

/** Main flow of the file that contains a flow: the flow itself, unless it is local. */
export const mainFlowOf = (name: string): string => name.split('/', 1)[0]!;

/** Name of a local flow inside its own file. */
export const plainName = (name: string): string => name.slice(mainFlowOf(name).length + 1);
